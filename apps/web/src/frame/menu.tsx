import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icon.tsx'

/** One line of a menu. */
export interface MenuItem {
  key: string
  label: string
  /** Said below it, smaller. */
  note?: string | undefined
  /** Of a choice: whether it is the one. Left out for what only does something. */
  isChecked?: boolean | undefined
  /** It can be read, and not chosen; the note says why. */
  isDisabled?: boolean | undefined
  /** A line above it. */
  isApart?: boolean | undefined
  onPick: () => void
}

export interface MenuProps {
  /** What the button says to those who do not see it; what it shows is part of it. */
  name: string
  children: ReactNode
  items: readonly MenuItem[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  className?: string | undefined
  /** The edge of the button that the menu keeps to, and where it goes. */
  align?: 'start' | 'end' | undefined
  opens?: 'down' | 'up' | undefined
  /** Said above the items. */
  note?: string | undefined
}

/** A button that opens a menu. Arrows, Home and End go through it, Escape and a press outside close it. */
export function Menu(props: MenuProps): ReactNode {
  const { name, children, items, isOpen, onOpen, className = 'pick', align = 'end', opens = 'down', note } = props
  const root = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const first = list.current?.querySelector<HTMLElement>('[aria-checked="true"]') ?? itemsIn(list.current)[0]
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
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    }
    if (event.key === 'Tab') return onOpen(false)
    const all = itemsIn(list.current)
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all[(next + all.length) % all.length]?.focus()
  }
  return (
    <span className="menu-root" ref={root}>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => onOpen(!isOpen)}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          onOpen(true)
        }}
      >
        {children}
      </button>
      {isOpen && (
        <div className="menu" data-align={align} data-opens={opens}>
          {note !== undefined && <p className="menu-note">{note}</p>}
          <div id={id} ref={list} role="menu" tabIndex={-1} aria-label={name} onKeyDown={onKeyDown}>
            {items.map(({ key, label, note: about, isChecked, isDisabled, isApart, onPick }) => (
              <button
                key={key}
                type="button"
                className="menu-item"
                {...roleOf(isChecked)}
                aria-disabled={isDisabled}
                data-apart={isApart || undefined}
                tabIndex={-1}
                onClick={() => {
                  if (isDisabled === true) return
                  close()
                  onPick()
                }}
              >
                {isChecked !== undefined && <span className="menu-check">{isChecked && <Icon name="check" />}</span>}
                <span className="menu-words">
                  {label}
                  {about !== undefined && <span className="menu-about">{about}</span>}
                </span>
              </button>
            ))}
          </div>
        </div>
      )}
    </span>
  )
}

/** A choice says whether it is the one; what only does something does not. */
function roleOf(
  isChecked: boolean | undefined,
): { role: 'menuitem' } | { role: 'menuitemradio'; 'aria-checked': boolean } {
  return isChecked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChecked }
}

function itemsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('.menu-item') ?? [])]
}
