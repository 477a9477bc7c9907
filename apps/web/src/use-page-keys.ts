import { useEffect, useRef } from 'react'

export interface PageKeys {
  documents: () => void
  palette: () => void
  /** Copies a link to the call that has the focus. */
  link: () => void
  keys: () => void
  /** Opens the inbox. If the conversation in view has a question, it handles the key itself. */
  question: () => void
  escape: () => void
}

/** The panes that F6 cycles through, each with its main element. */
const panes = [
  '.side input',
  '.middle [role="log"], .inbox',
  '.middle textarea',
  '.source-view, .source-edit textarea, .model-view',
]

/** The page's keys: Ctrl or ⌘ with a letter, F6, ?, and Escape. Events that a part has already handled are ignored. */
export function usePageKeys(keys: PageKeys): void {
  const newest = useRef(keys)
  newest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      const act = findAction(event, newest.current) ?? findForwardedKey(event)
      if (act === undefined) return
      if (event.key !== 'Escape') event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function findAction(event: KeyboardEvent, keys: PageKeys): (() => void) | undefined {
  const { key, code, ctrlKey, metaKey, shiftKey, altKey, target } = event
  const isControl = ctrlKey || metaKey
  if (altKey) return code === 'KeyL' && !isControl && !shiftKey && isOnCall(target) ? keys.link : undefined
  if (key === '?' && !isControl && !isTyping(target)) return keys.keys
  if (key === 'F6' && !isControl) return () => nextPane(shiftKey ? -1 : 1)
  if (key === 'Escape' && !isControl && !shiftKey) return keys.escape
  if (!isControl) return undefined
  if (shiftKey) return key === 'Enter' ? keys.question : undefined
  switch (key.toLowerCase()) {
    case 'b':
      return keys.documents
    case 'k':
      return keys.palette
    case '/':
      return keys.keys
    default:
      return undefined
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

function isOnCall(target: EventTarget | null): boolean {
  return target instanceof Element && !isTyping(target) && target.closest('[data-argot-call]') !== null
}

/**
 * Alt with an arrow moves through the conversation's calls from anywhere, and Ctrl F searches in it if nothing has the
 * focus. The conversation handles both.
 */
function findForwardedKey(event: KeyboardEvent): (() => void) | undefined {
  const { key, altKey, ctrlKey, metaKey } = event
  const isControl = ctrlKey || metaKey
  const isStep = altKey && !isControl && (key === 'ArrowUp' || key === 'ArrowDown')
  const isFind = isControl && !altKey && key.toLowerCase() === 'f' && event.target === document.body
  if (!isStep && !isFind) return undefined
  const box = document.querySelector('.middle .argot-box-root')
  if (box === null || box.contains(event.target as Node)) return undefined
  const { shiftKey } = event
  const keys = { key, altKey, ctrlKey, metaKey, shiftKey }
  return () => box.dispatchEvent(new KeyboardEvent('keydown', { ...keys, bubbles: true, cancelable: true }))
}

function nextPane(step: number): void {
  const stops = panes
    .map(selector => document.querySelector<HTMLElement>(selector))
    .filter(element => element?.checkVisibility())
  const at = stops.findIndex(stop =>
    stop?.closest('.side, .source, form, [role="log"], .inbox')?.contains(document.activeElement),
  )
  const next = at === -1 ? (step > 0 ? 0 : stops.length - 1) : (at + step + stops.length) % stops.length
  stops[next]?.focus()
}
