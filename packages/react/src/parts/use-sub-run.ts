import { useMemo, useSyncExternalStore } from 'react'
import { useOptionalChat } from '../hooks/chat-context.ts'
import type { SubRun } from './sub-run.ts'

const never = (): (() => void) => () => {}
const nothing = (): undefined => undefined

/** What the agent does that this call of the chat runs; undefined where it runs none. */
export function useSubRun(messageId: string | undefined, toolCallId: string): SubRun | undefined {
  const runs = useOptionalChat()?.store.conversation.subs
  const run = useMemo(
    () => (messageId === undefined ? undefined : runs?.follow(messageId, toolCallId)),
    [runs, messageId, toolCallId],
  )
  return useSyncExternalStore(run?.subscribe ?? never, run?.get ?? nothing, run?.get ?? nothing)
}
