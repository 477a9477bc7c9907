import { type SubRun, ToolCard } from '@argot/react'
import type { ReactNode } from 'react'
import type { CallFixture } from './fixtures.ts'

export interface CallStateProps {
  fixture: CallFixture
  isOpen: boolean | undefined
  sub?: SubRun | undefined
}

/** A card in one state, outside any chat. Answers are accepted but have no effect. */
export function CallState({ fixture, isOpen, sub }: CallStateProps): ReactNode {
  return (
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation: fixture.call }}
      message={fixture.streaming === true ? { status: 'streaming' } : undefined}
      addToolApprovalResponse={nothing}
      addToolOutput={nothing}
      onRunAgain={nothing}
      started={fixture.started}
      isTurning={fixture.id === 'writing'}
      sub={sub}
      defaultExpanded={isOpen === undefined ? undefined : { '*': owner => (owner.section ? undefined : isOpen) }}
    />
  )
}

function nothing(): void {}
