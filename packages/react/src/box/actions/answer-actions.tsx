import { type ReactNode, useContext } from 'react'
import { ComponentChunk, FromChunk } from '../../bodies/component-chunk.tsx'
import { useIsClient } from '../../bodies/use-is-client.ts'
import type { ActionBarProps } from './action-bar.tsx'
import { ActionsContext } from './answer-action.ts'
import type { BranchStepsProps } from './branch-steps.tsx'

/** The actions on a finished answer. The stylesheet reserves its place, so nothing moves when it appears. */
export function AnswerActions({ messageId }: { messageId: string }): ReactNode {
  const actions = useContext(ActionsContext)
  const isClient = useIsClient()
  return isClient && actions.length > 0 ? <FromChunk chunk={actionBar} props={{ messageId, actions }} /> : null
}

export const actionBar: ComponentChunk<ActionBarProps> = new ComponentChunk(() => import('./action-bar.tsx'))

/** An edited user message has branches, too. */
export function MessageBranches({ messageId }: { messageId: string }): ReactNode {
  const hasBranches = useContext(ActionsContext).includes('branches')
  const isClient = useIsClient()
  return isClient && hasBranches ? <FromChunk chunk={userBranches} props={{ messageId }} /> : null
}

const userBranches: ComponentChunk<Pick<BranchStepsProps, 'messageId'>> = new ComponentChunk(
  () => import('./branch-steps.tsx'),
)
