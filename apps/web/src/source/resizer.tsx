import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { useWords } from '../locale/words.ts'

export const NARROWEST = 320
export const WIDEST = 720
const STEP = 16

export interface ResizerProps {
  /** The chosen width, in pixels; undefined for the default. */
  width: number | undefined
  onWidth: (width: number) => void
}

/** The edge of the source pane. Dragging it or pressing arrow keys changes the pane's width. */
export function Resizer({ width, onWidth }: ResizerProps): ReactNode {
  const words = useWords().source
  const edge = useRef<HTMLDivElement>(null)
  /** The chosen width may be wider than the available room. */
  const visibleWidth = (): number => Math.round(edge.current?.parentElement?.getBoundingClientRect().width ?? NARROWEST)
  const set = (nextWidth: number): void => onWidth(Math.max(NARROWEST, Math.min(Math.round(nextWidth), WIDEST)))
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = isFromRight() ? -STEP : STEP
    const targetWidth = {
      ArrowLeft: visibleWidth() + step,
      ArrowRight: visibleWidth() - step,
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

/** In a right-to-left page, the source is on the left. */
function isFromRight(): boolean {
  return document.documentElement.dir === 'rtl'
}
