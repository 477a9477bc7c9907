import { useEffect, useRef } from 'react'

/** In longer conversations, only rows near the view are on the page. */
const MANY_MESSAGES = 200
/** This many messages that arrived while the conversation was open are rows like those of a short one. */
const MANY_NEW = 100
/** This many of them stay rows when the others join the virtual list: the reader is looking at them. */
const ROWS_LEFT = 20

/**
 * How many of the first messages are in a virtual list. Messages that arrived since the conversation was opened are
 * not. A list that measures itself with every line of an answer would make a long conversation slower than a short one,
 * and a row that moves into the list is remounted and loses a selection.
 */
export function useVirtualLength(ids: readonly string[]): number {
  const wasEmpty = useRef(true)
  const lastVirtual = useRef<string | undefined>(undefined)
  const isOpened = wasEmpty.current
  useEffect(() => {
    wasEmpty.current = ids.length === 0
  }, [ids])
  if (ids.length <= MANY_MESSAGES) {
    lastVirtual.current = undefined
    return 0
  }
  const length = lastVirtual.current === undefined ? 0 : ids.lastIndexOf(lastVirtual.current) + 1
  const next = isOpened ? ids.length : nextLength(ids.length, length)
  lastVirtual.current = ids[next - 1]
  return next
}

function nextLength(count: number, length: number): number {
  const most = length === 0 ? MANY_MESSAGES + MANY_NEW : length + MANY_NEW
  return count > most ? count - ROWS_LEFT : length
}
