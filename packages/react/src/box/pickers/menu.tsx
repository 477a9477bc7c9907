import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'

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

export interface MenuProps {
  /** The button's accessible name, which includes its visible text. */
  name: string
  children: ReactNode
  items: readonly MenuItem[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  className?: string | undefined
  /** Above the items. */
  note?: string | undefined
  /** −1 inside a list that has one tab stop. */
  tabIndex?: number | undefined
}

/** A button that opens a menu. Arrows, Home and End move through it, Escape and a press outside close it. */
export function Menu({ name, children, items, isOpen, onOpen, className, note, tabIndex }: MenuProps): ReactNode {
  const root = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const first = list.current?.querySelector<HTMLElement>('[aria-checked="true"]') ?? rows(list.current)[0]
    first?.focus()
    const onPress = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) onOpen(false)
    }
    addEventListener('pointerdown', onPress)
    return () => removeEventListener('pointerdown', onPress)
  }, [isOpen, onOpen])
  const close = (): void => {
    onOpen(false)
    button.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation()
    if (event.key === 'Escape') return close()
    if (event.key === 'Tab') return onOpen(false)
    const all = rows(list.current)
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all[(next + all.length) % all.length]?.focus()
  }
  return (
    <span className="argot argot-pick-place" ref={root}>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        tabIndex={tabIndex}
        onClick={() => onOpen(!isOpen)}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          event.stopPropagation()
          onOpen(true)
        }}
      >
        {children}
      </button>
      {isOpen && (
        <div className="argot-pick-menu">
          {note !== undefined && <p className="argot-pick-note">{note}</p>}
          <div id={id} ref={list} role="menu" tabIndex={-1} aria-label={name} onKeyDown={onKeyDown}>
            {items.map(({ key, label, note: about, isChecked, isDisabled, isApart, onPick }) => (
              <button
                key={key}
                type="button"
                className="argot-pick-item"
                {...itemRole(isChecked)}
                aria-disabled={isDisabled}
                data-apart={isApart || undefined}
                tabIndex={-1}
                onClick={() => {
                  if (isDisabled === true) return
                  close()
                  onPick()
                }}
              >
                {isChecked !== undefined && (
                  <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
                    {isChecked && <path d="M3.5 8.4l3 3 6-6.8" />}
                  </svg>
                )}
                <span className="argot-pick-words">
                  <span dir="auto">{label}</span>
                  {about !== undefined && <span className="argot-pick-note">{about}</span>}
                </span>
              </button>
            ))}
          </div>
        </div>
      )}
    </span>
  )
}

function itemRole(
  isChecked: boolean | undefined,
): { role: 'menuitem' } | { role: 'menuitemradio'; 'aria-checked': boolean } {
  return isChecked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChecked }
}

function rows(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}
