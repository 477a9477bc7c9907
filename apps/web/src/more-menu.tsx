import { type ReactNode, useState } from 'react'
import { api } from './api.ts'
import type { ExportFormat } from './export/export-file.ts'
import { exportDocument } from './export-document.ts'
import { Icon } from './icon.tsx'
import { Menu, type MenuItem } from './menu.tsx'
import { goTo } from './use-route.ts'

const exports: readonly { format: ExportFormat; name: string }[] = [
  { format: 'html', name: 'Export as HTML' },
  { format: 'markdown', name: 'Export as Markdown' },
  { format: 'json', name: 'Export as JSON' },
  { format: 'chatmd', name: 'Export the document' },
]

export interface MoreMenuProps {
  document: string
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  /** What there is no room for beside it. */
  first: readonly MenuItem[]
  note: string | undefined
}

/** What can be done with a document as a whole. */
export function MoreMenu({ document, isOpen, onOpen, first, note }: MoreMenuProps): ReactNode {
  const [problem, setProblem] = useState<string>()
  const choose = (act: () => Promise<void>) => (): void => {
    setProblem(undefined)
    act().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  const items: MenuItem[] = [
    ...first,
    { key: 'replay', label: 'Replay', isApart: first.length > 0, onPick: choose(() => replayNewest(document)) },
    ...exports.map(({ format, name }, index) => ({
      key: format,
      label: name,
      isApart: index === 0,
      onPick: choose(() => exportDocument(document, format)),
    })),
  ]
  return (
    <>
      <Menu name="More" className="icon-button" isOpen={isOpen} onOpen={onOpen} items={items} note={note}>
        <Icon name="more" />
      </Menu>
      {problem !== undefined && (
        <p className="head-problem problem" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

/** Opens the time machine at the newest run of a document. */
async function replayNewest(document: string): Promise<void> {
  const [newest] = await api.runs(document)
  if (newest === undefined) throw new Error('This document has no run yet.')
  goTo(document, newest.id)
}
