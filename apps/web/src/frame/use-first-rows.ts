import { type RefObject, useEffect, useRef, useState } from 'react'

/** This many rows are drawn first, and this many more whenever the end comes near. */
const ROWS_AT_ONCE = 100

export interface FirstRows<Row> {
  rows: readonly Row[]
  /** Placed after the last row while there are more. */
  end: RefObject<HTMLLIElement | null>
  hasMore: boolean
}

/** The first rows of a long list: a folder with a thousand documents opens as fast as one with a hundred. */
export function useFirstRows<Row>(all: readonly Row[]): FirstRows<Row> {
  const [count, setCount] = useState(ROWS_AT_ONCE)
  const end = useRef<HTMLLIElement>(null)
  const hasMore = all.length > count
  // biome-ignore lint/correctness/useExhaustiveDependencies: after more rows the end is looked at again
  useEffect(() => {
    const mark = end.current
    const scroller = mark?.parentElement
    if (!hasMore || !mark || !scroller) return
    const more = (): void => setCount(before => before + ROWS_AT_ONCE)
    const observer = new IntersectionObserver(entries => entries.at(-1)?.isIntersecting === true && more(), {
      root: scroller,
      rootMargin: '600px',
    })
    observer.observe(mark)
    return () => observer.disconnect()
  }, [hasMore, count])
  return { rows: hasMore ? all.slice(0, count) : all, end, hasMore }
}
