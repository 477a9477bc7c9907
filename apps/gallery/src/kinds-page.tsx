import type { ReactNode } from 'react'
import { CallState } from './call-state.tsx'
import { Column } from './column.tsx'
import type { PageProps } from './page-props.ts'

export function KindsPage({ fixtures: { kinds } }: PageProps): ReactNode {
  return (
    <Column>
      <h1>Bodies by kind</h1>
      <div className="argot-rail">
        <div className="argot-calls">
          {kinds.map(fixture => (
            <CallState key={fixture.id} fixture={fixture} isOpen />
          ))}
        </div>
      </div>
    </Column>
  )
}
