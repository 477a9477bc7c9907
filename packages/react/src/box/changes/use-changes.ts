import type { ChatTurnChanges } from '@argot/core/stream/internal'
import { type RefObject, useCallback, useEffect, useState } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import type { ChatStore } from '../../store/chat-store.ts'

/** The server's answer for each message, so that a line has it ready when it comes into view again. */
const changesByStore = new WeakMap<ChatStore, Map<string, ChatTurnChanges | undefined>>()

export interface Changes {
  /** Undefined until the server has answered, and if it has no record. */
  changes: ChatTurnChanges | undefined
  /** Asks again. Rejects if the server can't be reached. */
  read: () => Promise<ChatTurnChanges | undefined>
}

/** A turn's changes, requested when its line first comes into view. */
export function useChanges(messageId: string, line: RefObject<HTMLElement | null>): Changes {
  const store = useChatStore()
  const cached = changesByStore.get(store)
  const [changes, setChanges] = useState(() => cached?.get(messageId))
  const read = useCallback(async () => {
    const answer = await store.adapter.readChanges?.({ messageId })
    const all = changesByStore.get(store) ?? new Map<string, ChatTurnChanges | undefined>()
    changesByStore.set(store, all.set(messageId, answer))
    setChanges(answer)
    return answer
  }, [store, messageId])
  const isAsked = cached?.has(messageId) === true
  useEffect(() => {
    const element = line.current
    if (isAsked || element === null || store.adapter.readChanges === undefined) return
    const observer = new IntersectionObserver(entries => {
      if (!entries.some(entry => entry.isIntersecting)) return
      observer.disconnect()
      // An unreachable server is shown elsewhere; the calls' own reports stay.
      read().catch(() => {})
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [isAsked, line, read, store])
  return { changes, read }
}
