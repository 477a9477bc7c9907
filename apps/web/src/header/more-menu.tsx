import { Menu, type MenuItem } from '@argot/react/internal'
import type { ReactNode } from 'react'
import type { Command } from '../documents/commands.ts'
import { Icon } from '../frame/icon.tsx'
import { useWords } from '../locale/words.ts'

export interface MoreMenuProps {
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  /** Items that don't fit next to it. */
  first: readonly MenuItem[]
  commands: readonly Command[]
  onCommand: (command: Command) => void
  note: string | undefined
}

export function MoreMenu({ isOpen, onOpen, first, commands, onCommand, note }: MoreMenuProps): ReactNode {
  const items: MenuItem[] = [
    ...first,
    ...commands.map((command, index) => ({
      key: command.key,
      label: command.label,
      isApart: command.key === 'html' || (index === 0 && first.length > 0),
      onPick: () => onCommand(command),
    })),
  ]
  return (
    <Menu
      name={useWords().header.more}
      className="icon-button"
      isOpen={isOpen}
      onOpen={onOpen}
      items={items}
      head={note !== undefined && <p className="argot-pick-note">{note}</p>}
    >
      <Icon name="more" />
    </Menu>
  )
}
