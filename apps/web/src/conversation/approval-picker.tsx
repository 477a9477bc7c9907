import { Menu, type MenuItem } from '@argot/react/internal'
import type { DocumentSettings } from '@argot/server/api'
import { type ReactNode, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import { useWords } from '../locale/words.ts'
import type { Relax } from '../server/use-relax.ts'
import { useWishes, wish } from '../server/wishes.ts'
import { folderName } from './relax-mark.tsx'

type Mode = DocumentSettings['approve']

/** From the most permissive to the strictest. */
const modes: readonly Mode[] = ['all', 'ask', 'readonly', 'none']

export interface ApprovalPickerProps {
  document: string
  usual: Mode
  /** Undefined if the server does not allow it. */
  relax: Relax | undefined
  root: string | undefined
}

/** Which calls run without a question, from the next message on. It can only tighten the server's policy. */
export function ApprovalPicker({ document, usual, relax, root }: ApprovalPickerProps): ReactNode {
  const page = useWords()
  const { approvals, modes: words } = page.conversation
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { approve: wanted } = useWishes(document)
  const allowed = modes.slice(modes.indexOf(usual))
  const current: Mode = wanted !== undefined && allowed.includes(wanted) ? wanted : usual
  const folders = current === 'ask' && wanted === undefined && relax?.active.length === 0 ? relax.folders : []
  const items: MenuItem[] = [
    ...allowed.map(mode => ({
      key: mode,
      ...words[mode],
      isChecked: mode === current,
      onPick: () => wish(document, { approve: mode === usual || mode === 'all' ? undefined : mode }),
    })),
    ...folders.map((folder, index) => ({
      key: `relax ${folder}`,
      label: page.relax.offer(folderName(folder, root, page)),
      note: page.relax.hint,
      isApart: index === 0,
      onPick: () => {
        setProblem(undefined)
        relax
          ?.start(folder)
          .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      },
    })),
  ]
  return (
    <>
      <Menu
        name={approvals(words[current].label)}
        className="argot-pick"
        isOpen={isOpen}
        onOpen={setOpen}
        items={items}
      >
        <span className="argot-pick-word">{words[current].label}</span>
        <Icon name="down" />
      </Menu>
      {problem !== undefined && (
        <span className="failed pick-problem" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}
