import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { findNextRow, isShortcut } from './menu-keys.ts'

export interface MenuItem {
  key: string
  label: string
  /** Below the label, smaller. */
  note?: string | undefined
  /** For a choice: whether it is picked. Left out for a command. */
  isChecked?: boolean | undefined
  /** Readable, but not selectable; the note says why. */
  isDisabled?: boolean | undefined
  /** A separator above it. */
  isApart?: boolean | undefined
  onPick: () => void
}

export interface MenuPopupProps {
  id?: string | undefined
  name: string
  /**
   * Gets the focus back. If it is hidden, the element that had the focus before gets it. A press on it doesn't close the
   * menu.
   */
  anchor: HTMLElement | null
  items: readonly MenuItem[]
  onClose: () => void
  /** Above the items. A field in it has the focus first, and Enter in it picks the first item. */
  head?: ReactNode
  /** A second button for an item, at its end: the arrow towards that end leads there, and the other one back. */
  renderEnd?: ((item: MenuItem) => ReactNode) | undefined
}

/**
 * An open menu. Arrows, Home, End and first letters move through it. Escape and Tab close it and give the focus back,
 * and Tab then moves on; a press outside closes it too.
 */
export function MenuPopup({ id, name, anchor, items, onClose, head, renderEnd }: MenuPopupProps): ReactNode {
  const popup = useRef<HTMLDivElement>(null)
  const [opener] = useState(() => document.activeElement)
  useEffect(() => {
    const first = popup.current?.querySelector<HTMLElement>('input, .argot-pick-item[aria-checked="true"]')
    ;(first ?? getRows(popup.current)[0])?.focus()
  }, [])
  useEffect(() => {
    const onPress = ({ target }: Event): void => {
      if (![popup.current, anchor].some(element => element?.contains(target as Node))) onClose()
    }
    addEventListener('pointerdown', onPress)
    return () => removeEventListener('pointerdown', onPress)
  }, [anchor, onClose])
  const close = (): void => {
    onClose()
    anchor?.focus()
    // A hidden anchor can't take the focus: on a phone, another menu opened this one.
    if (anchor?.matches(':focus') !== true && opener instanceof HTMLElement) opener.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event
    if (isShortcut(event)) return
    event.stopPropagation()
    if (key === 'Tab') return close()
    if (!act(key, event.target as HTMLElement)) return
    event.preventDefault()
  }
  const act = (key: string, active: HTMLElement): boolean => {
    if (key === 'Escape') close()
    else if (active.tagName !== 'INPUT') return moveFocus(getRows(popup.current), active, key)
    else if (key === 'Enter') getRows(popup.current)[0]?.click()
    else if (key === 'ArrowDown') getRows(popup.current)[0]?.focus()
    else return false
    return true
  }
  return (
    <div ref={popup} role="none" className="argot-pick-menu" onKeyDown={onKeyDown}>
      {head}
      <div id={id} role="menu" tabIndex={-1} aria-label={name}>
        {items.map(item => (
          <div key={item.key} role="none" className="argot-pick-line" data-apart={item.isApart || undefined}>
            <button
              type="button"
              className="argot-pick-item"
              {...itemRole(item.isChecked)}
              aria-disabled={item.isDisabled}
              tabIndex={-1}
              onClick={() => {
                if (item.isDisabled === true) return
                close()
                item.onPick()
              }}
            >
              {item.isChecked !== undefined && (
                <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
                  {item.isChecked && <path d="M3.5 8.4l3 3 6-6.8" />}
                </svg>
              )}
              <span className="argot-pick-words">
                <span dir="auto">{item.label}</span>
                {item.note !== undefined && <span className="argot-pick-note">{item.note}</span>}
              </span>
            </button>
            {renderEnd?.(item)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Whether the key led to another element. */
function moveFocus(rows: readonly HTMLElement[], active: HTMLElement, key: string): boolean {
  const isRightToLeft = getComputedStyle(active).direction === 'rtl'
  const neighbours: Partial<Record<string, Element | null>> = {
    [isRightToLeft ? 'ArrowLeft' : 'ArrowRight']: active.nextElementSibling,
    [isRightToLeft ? 'ArrowRight' : 'ArrowLeft']: active.previousElementSibling,
  }
  const next = findNextRow(rows, active, key) ?? neighbours[key]
  ;(next as HTMLElement | null | undefined)?.focus()
  return next != null
}

function itemRole(
  isChecked: boolean | undefined,
): { role: 'menuitem' } | { role: 'menuitemradio'; 'aria-checked': boolean } {
  return isChecked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChecked }
}

function getRows(popup: HTMLElement | null): HTMLElement[] {
  return [...(popup?.querySelectorAll<HTMLElement>('.argot-pick-item') ?? [])]
}
