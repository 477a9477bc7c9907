import { useMemo, useSyncExternalStore } from 'react'
import type { SubRunState } from '../store/run/sub-runs.ts'
import { useOptionalChat } from './chat-context.ts'

const never = (): (() => void) => () => {}
const nothing = (): undefined => undefined

/** The work of the agent that a call runs, whether a message or another agent made the call; undefined if none. */
export function useSubRun(scope: string | undefined, toolCallId: string): SubRunState | undefined {
  const runs = useOptionalChat()?.store.conversation.subs
  const run = useMemo(
    () => (scope === undefined ? undefined : runs?.follow(scope, toolCallId)),
    [runs, scope, toolCallId],
  )
  return useSyncExternalStore(run?.subscribe ?? never, run?.get ?? nothing, run?.get ?? nothing)
}
