import { isToolPart } from '@argot/core'
import { type FocusEvent, type KeyboardEvent, type RefObject, useCallback, useRef } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { toCallKey } from '../../store/call-key.ts'
import type { ChatStore } from '../../store/chat-store.ts'

export interface LogKeys {
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  onFocus: (event: FocusEvent<HTMLElement>) => void
  focus: () => void
}

/** A selector for focusable elements. */
export const controls: string = 'button:not([disabled]), a[href], input, textarea, select, summary, [tabindex="0"]'

/**
 * A log's keys: arrows, Home and End move from message to message, Enter goes into one and Escape out of it. Tab skips
 * the messages' controls, unless the focus is inside one.
 */
export function useLogKeys(log: RefObject<HTMLElement | null>, goToMessage: (messageId: string) => void): LogKeys {
  const store = useChatStore()
  const current = useRef<string | undefined>(undefined)

  const goTo = useCallback(
    (messageId: string | undefined) => {
      if (messageId === undefined) return
      current.current = messageId
      goToMessage(messageId)
    },
    [goToMessage],
  )

  const focus = useCallback(() => {
    const ids = store.conversation.ids.get()
    const currentId = current.current
    goTo(currentId !== undefined && ids.includes(currentId) ? currentId : ids.at(-1))
    if (ids.length === 0) log.current?.focus()
  }, [store, goTo, log])

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const target = event.target as HTMLElement
    const row = target.closest<HTMLElement>('[data-argot-message]')
    const isInside = row !== null && target !== row
    if (event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && isInside) {
      event.preventDefault()
      row.focus()
    } else if (!isInside) onRowKey(event, row)
  }

  const onRowKey = (event: KeyboardEvent<HTMLElement>, row: HTMLElement | null): void => {
    const ids = store.conversation.ids.get()
    const at = row === null ? ids.length : ids.indexOf(row.dataset.argotMessage ?? '')
    const target = getTarget(event.key, at, ids.length)
    if (event.key === 'Enter' && row !== null) {
      const first = row.querySelector<HTMLElement>(controls)
      if (first === null) return
      event.preventDefault()
      first.focus()
    } else if (event.key === 'Tab') passBy(event, log.current)
    else if (target !== undefined) {
      event.preventDefault()
      goTo(ids[target])
    }
  }

  const onFocus = (event: FocusEvent<HTMLElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-argot-message]')
    if (row !== null) current.current = row.dataset.argotMessage
  }

  return { onKeyDown, onFocus, focus }
}

function getTarget(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, at - 1)
    case 'ArrowDown':
      return Math.min(count - 1, at + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** Tab leaves the log instead of visiting every control in it. */
function passBy(event: KeyboardEvent, log: HTMLElement | null): void {
  if (log === null) return
  const all = [...document.querySelectorAll<HTMLElement>(controls)].filter(
    one => one.tabIndex >= 0 && !log.contains(one),
  )
  const after = all.filter(one => log.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING)
  const next = event.shiftKey ? all.findLast(one => !after.includes(one) && isVisible(one)) : after.find(isVisible)
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

export function isVisible(element: HTMLElement): boolean {
  return element.getClientRects().length > 0
}

/** In conversation order. */
export function allCallKeys(store: ChatStore): { callKey: string; messageId: string }[] {
  return store.conversation
    .messages()
    .flatMap(({ id: messageId, parts }) =>
      parts.filter(isToolPart).map(part => ({ callKey: toCallKey(messageId, part.toolInvocation), messageId })),
    )
}
