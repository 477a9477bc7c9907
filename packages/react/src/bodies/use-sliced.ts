import { useEffect, useRef, useState } from 'react'
import { useIsClient } from './use-is-client.ts'

const SLICE_MS = 8
/** The first slice's size on a server and while a browser hydrates: both must render the same. */
const FIRST_ITEMS = 2000

export interface Sliced<T> {
  /** The items so far. Each update is a new list: a list is never changed. */
  items: readonly T[]
  isDone: boolean
}

/**
 * A generator's items, taken in slices of 8 ms with the page free in between. The first slice runs during rendering, so
 * that small results show immediately. A new `key` starts over. A server counts items instead of milliseconds.
 */
export function useSliced<T>(key: unknown, make: () => Iterator<T>): Sliced<T> {
  const work = useRef<{ key: unknown; iterator: Iterator<T>; sliced: Sliced<T> } | undefined>(undefined)
  const [, redraw] = useState(0)
  const isClient = useIsClient()
  if (work.current === undefined || work.current.key !== key) {
    const iterator = make()
    work.current = { key, iterator, sliced: isClient ? takeSlice(iterator, []) : takeItems(iterator) }
  }
  const { current } = work
  const { isDone } = current.sliced
  useEffect(() => {
    if (isDone) return
    let timer: ReturnType<typeof setTimeout>
    const next = () => {
      current.sliced = takeSlice(current.iterator, current.sliced.items)
      redraw(count => count + 1)
      if (!current.sliced.isDone) timer = setTimeout(next)
    }
    timer = setTimeout(next)
    return () => clearTimeout(timer)
  }, [current, isDone])
  return current.sliced
}

function takeItems<T>(iterator: Iterator<T>): Sliced<T> {
  const items: T[] = []
  while (items.length < FIRST_ITEMS) {
    const next = iterator.next()
    if (next.done === true) return { items, isDone: true }
    items.push(next.value)
  }
  return { items, isDone: false }
}

function takeSlice<T>(iterator: Iterator<T>, before: readonly T[]): Sliced<T> {
  const items = [...before]
  const end = performance.now() + SLICE_MS
  for (;;) {
    const next = iterator.next()
    if (next.done === true) return { items, isDone: true }
    items.push(next.value)
    if (performance.now() > end) return { items, isDone: false }
  }
}
