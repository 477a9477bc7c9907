import { visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import { usePartLocale } from '../../locale/part-locale.ts'

export interface AlwaysMenuProps {
  view: ToolCallView
  /** What is allowed, in the words of the run that asks. */
  rule: string | undefined
}

/** "Always in this run": states exactly what is allowed and until when, and opens downwards, never over the input. */
export function AlwaysMenu({ view, rule }: AlwaysMenuProps): ReactNode {
  const { approval } = usePartLocale()
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    place.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
    const close = (event: Event) => {
      if (event.target instanceof Node && place.current?.contains(event.target)) return
      setOpen(false)
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from wherever it is pressed
    <div
      ref={place}
      className="argot-menu-place"
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen) return
        event.stopPropagation()
        setOpen(false)
        place.current?.querySelector('button')?.focus()
      }}
      onBlur={event => {
        if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
    >
      <button
        type="button"
        className="argot-button"
        data-kind="plain"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        disabled={view.answer === undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {approval.always}
        <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4.5 6.5L8 10l3.5-3.5" />
        </svg>
      </button>
      {isOpen && (
        <div className="argot-menu" data-part="menu" id={id} role="menu">
          <button type="button" role="menuitem" onClick={() => view.answer?.({ approved: true, always: true })}>
            {rule ?? approval.alwaysTool(visibleLine(view.invocation.toolName))}
            <span>{approval.untilRunEnds}</span>
          </button>
        </div>
      )}
    </div>
  )
}
