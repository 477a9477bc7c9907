import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Command } from './commands.ts'

export interface RowMenuProps {
  name: string
  anchor: HTMLElement
  commands: readonly Command[]
  onCommand: (command: Command) => void
  onClose: () => void
}

/** The distance it keeps from the edge of the window, in pixels. */
const MARGIN = 8

/** One row's menu. It is outside the list, which would cut it off. */
export function RowMenu({ name, anchor, commands, onCommand, onClose }: RowMenuProps): ReactNode {
  const menu = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState({ top: 0, left: 0 })
  useEffect(() => {
    const box = menu.current!
    const at = anchor.getBoundingClientRect()
    const isBelow = at.bottom + box.offsetHeight + MARGIN <= innerHeight
    const top = isBelow ? at.bottom : Math.max(MARGIN, at.top - box.offsetHeight)
    setPlace({
      top,
      left: Math.max(MARGIN, Math.min(at.right - box.offsetWidth, innerWidth - box.offsetWidth - MARGIN)),
    })
    itemsIn(box)[0]?.focus()
    const onPress = (event: Event): void => {
      const target = event.target as Node
      if (!box.contains(target) && !anchor.contains(target)) onClose()
    }
    addEventListener('pointerdown', onPress)
    addEventListener('resize', onClose)
    return () => {
      removeEventListener('pointerdown', onPress)
      removeEventListener('resize', onClose)
    }
  }, [anchor, onClose])
  const close = (): void => {
    onClose()
    anchor.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      event.stopPropagation()
      return close()
    }
    const all = itemsIn(menu.current)
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all[(next + all.length) % all.length]?.focus()
  }
  return (
    <div
      ref={menu}
      className="menu row-menu"
      role="menu"
      tabIndex={-1}
      aria-label={name}
      style={place}
      onKeyDown={onKeyDown}
    >
      {commands.map(command => (
        <button
          key={command.key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item"
          data-apart={command.key === 'delete' || undefined}
          onClick={() => {
            close()
            onCommand(command)
          }}
        >
          <span className="menu-words">{command.label}</span>
        </button>
      ))}
    </div>
  )
}

function itemsIn(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('.menu-item') ?? [])]
}
