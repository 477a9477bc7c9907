import { useMemo, useSyncExternalStore } from 'react'
import type { PendingCall } from '../store/conversation.ts'
import { useChatStore } from './chat-context.ts'

/** The calls of a message, and those inside them, that wait for the person. */
export function usePendingIn(messageId: string): readonly PendingCall[] {
  const { pending } = useChatStore().conversation
  const get = useMemo(() => {
    let known: readonly PendingCall[] = []
    return (): readonly PendingCall[] => {
      const next = pending.get().filter(one => one.messageId === messageId)
      if (next.length !== known.length || next.some((one, at) => one !== known[at])) known = next
      return known
    }
  }, [pending, messageId])
  return useSyncExternalStore(pending.subscribe, get, get)
}
