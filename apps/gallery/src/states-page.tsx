import { isToolPart, type ToolInvocation } from '@argot/core'
import type { ReactNode } from 'react'
import { CallState } from './call-state.tsx'
import { Column } from './column.tsx'
import type { PageProps } from './page-props.ts'

export function StatesPage({ fixtures: { states, turn } }: PageProps): ReactNode {
  const agent = turn.message.parts.filter(isToolPart).find(({ toolInvocation }) => toolInvocation.key === 'c7')
  return (
    <Column>
      <h1>Rows</h1>
      <p className="intro">Every state of a call. Success is grey; amber needs you, red failed, blue is live.</p>
      <div className="argot-rail">
        <div className="argot-calls">
          {states.map(fixture => (
            <CallState
              key={fixture.id}
              fixture={fixture}
              isOpen={fixture.id === 'writing' || fixture.id === 'broken'}
            />
          ))}
          {agent !== undefined && (
            <CallState
              fixture={{
                id: 'agent',
                title: 'sub-agent',
                call: agent.toolInvocation as ToolInvocation,
                streaming: true,
              }}
              isOpen
              sub={turn.sub.c7}
            />
          )}
        </div>
      </div>
    </Column>
  )
}
