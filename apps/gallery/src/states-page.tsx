import type { ReactNode } from 'react'
import { CallState } from './call-state.tsx'
import { Column } from './column.tsx'
import { states, turn } from './fixtures.ts'

/** Every state of a row, as a page shows it. */
export function StatesPage(): ReactNode {
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
          <CallState
            fixture={{
              id: 'agent',
              title: 'sub-agent',
              call: { ...agentCall(), startedAt: Date.now() - 12_400 },
              streaming: true,
            }}
            isOpen
            sub={turn.sub.c7}
          />
        </div>
      </div>
    </Column>
  )
}

function agentCall() {
  const part = turn.message.parts.find(one => 'toolInvocation' in one && one.toolInvocation.key === 'c7')
  if (part === undefined || !('toolInvocation' in part)) throw new Error('the fixture has no agent')
  return part.toolInvocation
}
