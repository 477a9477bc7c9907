import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { useWords } from '../locale/words.ts'

export const NARROWEST = 320
export const WIDEST = 720
const STEP = 16

export interface ResizerProps {
  /** The width that is wanted, in pixels; undefined for the usual one. */
  width: number | undefined
  onWidth: (width: number) => void
}

/** The edge of the source: dragged, or moved with arrows, it makes the source wider or narrower. */
export function Resizer({ width, onWidth }: ResizerProps): ReactNode {
  const words = useWords().source
  const edge = useRef<HTMLDivElement>(null)
  /** The width that is seen: a wish may be wider than there is room for. */
  const seen = (): number => Math.round(edge.current?.parentElement?.getBoundingClientRect().width ?? NARROWEST)
  const set = (wanted: number): void => onWidth(Math.max(NARROWEST, Math.min(Math.round(wanted), WIDEST)))
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = isFromRight() ? -STEP : STEP
    const targetWidth = {
      ArrowLeft: seen() + step,
      ArrowRight: seen() - step,
      Home: WIDEST,
      End: NARROWEST,
    }[event.key]
    if (targetWidth === undefined) return
    event.preventDefault()
    set(targetWidth)
  }
  const onPointerMove = (event: PointerEvent): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const { clientX } = event
    set(isFromRight() ? clientX : document.documentElement.clientWidth - clientX)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between panes that can be moved is no <hr>
    <div
      ref={edge}
      className="resizer"
      role="separator"
      tabIndex={0}
      aria-label={words.width}
      aria-orientation="vertical"
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      aria-valuenow={width ?? NARROWEST}
      aria-valuetext={width === undefined ? words.usualWidth : words.pixels(width)}
      onKeyDown={onKeyDown}
      onPointerDown={event => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={onPointerMove}
    />
  )
}

/** In a page from right to left the source is on the left. */
function isFromRight(): boolean {
  return document.documentElement.dir === 'rtl'
}
