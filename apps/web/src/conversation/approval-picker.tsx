import type { DocumentSettings } from '@argot/server/api'
import { type ReactNode, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import { Menu } from '../frame/menu.tsx'
import { useWishes, wish } from '../server/wishes.ts'

type Mode = DocumentSettings['approve']

/** From the freest to the strictest. */
const modes: readonly Mode[] = ['all', 'ask', 'readonly', 'none']

const words: Readonly<Record<Mode, { label: string; note: string }>> = {
  all: { label: 'Ask nothing', note: 'Every call runs at once.' },
  ask: { label: 'Ask before changes', note: 'Calls that only read run at once; you are asked about the others.' },
  readonly: { label: 'Only read', note: 'Calls that change something are refused.' },
  none: { label: 'No calls', note: 'No call runs.' },
}

/** Which calls run without a question, from the next message on. It can only be stricter than what the server allows. */
export function ApprovalPicker({ document, usual }: { document: string; usual: Mode }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const { approve: wanted } = useWishes(document)
  const allowed = modes.slice(modes.indexOf(usual))
  const current: Mode = wanted !== undefined && allowed.includes(wanted) ? wanted : usual
  return (
    <Menu
      name={`Approvals: ${words[current].label}`}
      isOpen={isOpen}
      onOpen={setOpen}
      align="start"
      opens="up"
      items={allowed.map(mode => ({
        key: mode,
        ...words[mode],
        isChecked: mode === current,
        onPick: () => wish(document, { approve: mode === usual || mode === 'all' ? undefined : mode }),
      }))}
    >
      <span className="pick-word">{words[current].label}</span>
      <Icon name="down" />
    </Menu>
  )
}
