import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import type { ChatLogHandle } from './log/chat-log.tsx'
import { allCallKeys, controls, isVisible } from './log/use-log-keys.ts'

/** The whole box's keys: from call to call, to the oldest question, find, and back into the log. */
export function useBoxKeys(
  log: RefObject<ChatLogHandle | null>,
  find: { isOpen: boolean; open: () => void },
): (event: KeyboardEvent<HTMLElement>) => void {
  const store = useChatStore()
  const lastCallKey = useRef<string | undefined>(undefined)

  const goToCall = (callKey: string, messageId: string): void => {
    lastCallKey.current = callKey
    store.folds.reveal(messageId, callKey)
    log.current?.goTo(messageId, element => {
      const card = element.querySelector<HTMLElement>(`[data-argot-call="${CSS.escape(callKey)}"]`)
      return card?.querySelector<HTMLElement>('[data-argot-summary]') ?? card
    })
  }

  const stepCall = (step: number): void => {
    const calls = allCallKeys(store)
    const focused = document.activeElement?.closest<HTMLElement>('[data-argot-call]')?.dataset.argotCall
    const at = calls.findIndex(({ callKey }) => callKey === (focused ?? lastCallKey.current))
    const target = calls[at < 0 ? (step < 0 ? calls.length - 1 : 0) : at + step]
    if (target !== undefined) goToCall(target.callKey, target.messageId)
  }

  const stepMessage = (step: number): void => {
    const ids = store.conversation.ids.get()
    const users = ids.filter(id => store.conversation.record(id)?.head().role === 'user')
    const focused = document.activeElement?.closest<HTMLElement>('[data-argot-message]')?.dataset.argotMessage
    const at = focused === undefined ? ids.length : ids.indexOf(focused)
    const target = step < 0 ? users.findLast(id => ids.indexOf(id) < at) : users.find(id => ids.indexOf(id) > at)
    if (target !== undefined) log.current?.goTo(target)
  }

  return event => {
    if (event.nativeEvent.isComposing || event.defaultPrevented) return
    const { key, altKey, shiftKey } = event
    const isControl = event.ctrlKey || event.metaKey
    if (altKey && !isControl && (key === 'ArrowUp' || key === 'ArrowDown')) {
      event.preventDefault()
      const step = key === 'ArrowUp' ? -1 : 1
      if (shiftKey) stepMessage(step)
      else stepCall(step)
    } else if (isControl && shiftKey && key === 'Enter') {
      const [oldest] = store.conversation.pending.get()
      if (oldest === undefined) return
      event.preventDefault()
      goToCall(oldest.callKey, oldest.messageId)
    } else if (isControl && !altKey && !shiftKey && key.toLowerCase() === 'f' && !find.isOpen) {
      event.preventDefault()
      find.open()
    } else if (key === 'Tab' && shiftKey && !altKey && !isControl && isFirstBelow(event)) {
      event.preventDefault()
      log.current?.focus()
    }
  }
}

/** Whether this is the first control below the log: Shift Tab goes from there to the log, not to its last control. */
function isFirstBelow({ target, currentTarget }: KeyboardEvent<HTMLElement>): boolean {
  const below = currentTarget.querySelector('.argot-below')
  return below !== null && [...below.querySelectorAll<HTMLElement>(controls)].find(isVisible) === target
}
