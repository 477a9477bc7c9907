import { ReasoningLine } from '@argot/react'
import type { ReactNode } from 'react'
import { CallState } from './call-state.tsx'
import { Column } from './column.tsx'
import type { PageProps } from './page-props.ts'

export function BodiesPage({ fixtures: { bodies } }: PageProps): ReactNode {
  return (
    <Column>
      <h1>Bodies</h1>
      <div className="argot-rail">
        <div className="argot-calls">
          {bodies.map(fixture => (
            <CallState key={fixture.id} fixture={fixture} isOpen />
          ))}
        </div>
        <ReasoningLine
          text="Two places take one off. If I change the caller, the recordings break too."
          duration="8 s"
        />
        <ReasoningLine text="Two places take one off." isStreaming open />
      </div>
    </Column>
  )
}
