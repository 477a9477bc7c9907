import { MenuPopup } from '@argot/react/internal'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
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
  useLayoutEffect(() => {
    const box = menu.current!
    const at = anchor.getBoundingClientRect()
    const isBelow = at.bottom + box.offsetHeight + MARGIN <= innerHeight
    const top = isBelow ? at.bottom : Math.max(MARGIN, at.top - box.offsetHeight)
    setPlace({
      top,
      left: Math.max(MARGIN, Math.min(at.right - box.offsetWidth, innerWidth - box.offsetWidth - MARGIN)),
    })
  }, [anchor])
  useEffect(() => {
    addEventListener('resize', onClose)
    return () => removeEventListener('resize', onClose)
  }, [onClose])
  return (
    <div ref={menu} className="row-menu" style={place}>
      <MenuPopup
        name={name}
        anchor={anchor}
        items={commands.map(command => ({
          key: command.key,
          label: command.label,
          isApart: command.key === 'delete',
          onPick: () => onCommand(command),
        }))}
        onClose={onClose}
      />
    </div>
  )
}
