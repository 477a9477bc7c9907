import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Whether an element is at least this many pixels wide, as its place changes. */
export function useIsWide(width: number): [RefObject<HTMLDivElement | null>, boolean] {
  const element = useRef<HTMLDivElement>(null)
  const [isWide, setWide] = useState(false)
  useLayoutEffect(() => {
    if (element.current === null) return undefined
    setWide(element.current.clientWidth >= width)
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= width))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [width])
  return [element, isWide]
}
