import { useMemo, useSyncExternalStore } from 'react'
import { useOptionalChat } from './chat-context.ts'
import { never } from './use-value.ts'

const none: readonly string[] = []

/** The keys of the calls that wait for the person inside a run, at any depth. */
export function useQuestionsInside(runKey: string | undefined): readonly string[] {
  const pending = useOptionalChat()?.store.conversation.pending
  const get = useMemo(() => {
    let keys = none
    return (): readonly string[] => {
      if (runKey === undefined || pending === undefined) return none
      const next = pending.get().flatMap(({ callKey }) => (callKey.startsWith(`${runKey}/`) ? [callKey] : []))
      if (next.length !== keys.length || next.some((key, at) => key !== keys[at])) keys = next
      return keys
    }
  }, [runKey, pending])
  return useSyncExternalStore(runKey === undefined ? never : (pending?.subscribe ?? never), get, get)
}
