import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

export interface PageMenuItem {
  key: string
  label: string
  /** Shown below it, smaller. */
  note?: string | undefined
  /** For a choice: whether it is selected. Left out for actions. */
  isChecked?: boolean | undefined
  /** It can be read but not chosen; the note says why. */
  isDisabled?: boolean | undefined
  /** A separator above it. */
  isApart?: boolean | undefined
  favourite?: { name: string; isOn: boolean; onToggle: () => void } | undefined
  onPick: () => void
}

export interface PageMenuProps {
  /** The button's accessible name, which includes its visible text. */
  name: string
  children: ReactNode
  items: readonly PageMenuItem[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  className?: string | undefined
  /** The edge of the button that the menu aligns with, and its direction. */
  align?: 'start' | 'end' | undefined
  opens?: 'down' | 'up' | undefined
  /** Shown above the items. */
  note?: string | undefined
  /** Adds a field above the items that filters them; this is the field's name. */
  filter?: string | undefined
}

/** A button that opens a menu. Arrows, Home and End move through it; Escape and a press outside close it. */
export function Menu(props: PageMenuProps): ReactNode {
  const {
    name,
    children,
    items,
    isOpen,
    onOpen,
    className = 'pick',
    align = 'end',
    opens = 'down',
    note,
    filter,
  } = props
  const root = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    setWords('')
    const first =
      field.current ?? list.current?.querySelector<HTMLElement>('[aria-checked="true"]') ?? itemsIn(list.current)[0]
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
    const active = document.activeElement as HTMLElement
    // The favourite button is next to the item.
    if (event.key === 'ArrowRight') return (active.nextElementSibling as HTMLElement | null)?.focus()
    if (event.key === 'ArrowLeft') return (active.previousElementSibling as HTMLElement | null)?.focus()
    const at = all.findIndex(item => item.parentElement === active.parentElement)
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
          {filter !== undefined && (
            <input
              ref={field}
              type="search"
              className="field menu-filter"
              aria-label={filter}
              placeholder={filter}
              value={words}
              autoComplete="off"
              spellCheck={false}
              onChange={event => setWords(event.target.value)}
              onKeyDown={event => {
                if (event.key === 'Enter') itemsIn(list.current)[0]?.click()
                else if (event.key === 'ArrowDown') itemsIn(list.current)[0]?.focus()
                else if (event.key === 'Escape') close()
                else return
                event.preventDefault()
                event.stopPropagation()
              }}
            />
          )}
          <div id={id} ref={list} role="menu" tabIndex={-1} aria-label={name} onKeyDown={onKeyDown}>
            {items
              .filter(({ label, note: about }) => hasWords(`${label} ${about ?? ''}`, words))
              .map(item => (
                <Item key={item.key} item={item} close={close} />
              ))}
          </div>
        </div>
      )}
    </span>
  )
}

function Item({ item, close }: { item: PageMenuItem; close: () => void }): ReactNode {
  const { label, note, isChecked, isDisabled, isApart, favourite, onPick } = item
  return (
    <div className="menu-line" role="none" data-apart={isApart || undefined}>
      <button
        type="button"
        className="menu-item"
        {...getRole(isChecked)}
        aria-disabled={isDisabled}
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
          {note !== undefined && <span className="menu-about">{note}</span>}
        </span>
      </button>
      {favourite !== undefined && (
        <button
          type="button"
          className="menu-star icon-button"
          role="menuitemcheckbox"
          aria-checked={favourite.isOn}
          aria-label={favourite.name}
          tabIndex={-1}
          onClick={favourite.onToggle}
        >
          <Icon name="star" />
        </button>
      )}
    </div>
  )
}

function hasWords(text: string, words: string): boolean {
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.toLowerCase().includes(word))
}

/** A choice has a checked state; an action has none. */
function getRole(
  isChecked: boolean | undefined,
): { role: 'menuitem' } | { role: 'menuitemradio'; 'aria-checked': boolean } {
  return isChecked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChecked }
}

function itemsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('.menu-item') ?? [])]
}
