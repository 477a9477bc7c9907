import type { ToolInvocation } from '@argot/core'
import { waitsFor } from '@argot/core/stream'
import type { MessageStatus } from '@argot/core/stream/internal'
import { useSyncExternalStore } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { hasOpenFailure } from '../../parts/run/run-summary.ts'

/** A turn with more calls than this folds to its line. */
const MANY_CALLS = 3

/** Whether a turn's work may fold automatically: it is over, long, and nothing in it needs attention. */
export function canFold(calls: readonly ToolInvocation[], status: MessageStatus | undefined): boolean {
  return status !== 'streaming' && calls.length > MANY_CALLS && !calls.some(waitsFor) && !hasOpenFailure(calls)
}

/**
 * Whether a turn's work is shown, and a function to change that. Long turns from the history begin folded. A turn in
 * which something waits for the person, at any depth, can't be folded.
 */
export function useFold(
  messageId: string,
  calls: readonly ToolInvocation[],
  status: MessageStatus | undefined,
  isAsking: boolean,
): [boolean, (isOpen: boolean) => void] {
  const { folds } = useChatStore()
  const isFolded = useSyncExternalStore(
    folds.subscribe,
    () => folds.get(messageId),
    () => folds.get(messageId),
  )
  const isOpen = isAsking || isFolded !== true || (folds.isAutomatic(messageId) && !canFold(calls, status))
  return [isOpen, open => folds.set(messageId, !open, false)]
}
