import type { ExportFormat } from '../export/export-file.ts'
import { goTo } from '../frame/use-route.ts'
import { api } from '../server/api.ts'
import { copyDocument, exportDocument } from './export-document.ts'

/** Something that can be done, in a menu and in the search. */
export interface Command {
  key: string
  label: string
  /** The keys that do the same. */
  keys?: string | undefined
  /** What it rejects with is said on the page. */
  act: () => void | Promise<void>
}

const exports: readonly { format: ExportFormat; label: string }[] = [
  { format: 'html', label: 'Export as HTML' },
  { format: 'markdown', label: 'Export as Markdown' },
  { format: 'json', label: 'Export as JSON' },
  { format: 'chatmd', label: 'Export the document' },
]

/** What can be done with a document as a whole. */
export function documentCommands(document: string): Command[] {
  return [
    { key: 'copy', label: 'Copy as Markdown', act: () => copyDocument(document) },
    { key: 'replay', label: 'Replay in the time machine', act: () => replayNewest(document) },
    ...exports.map(({ format, label }) => ({ key: format, label, act: () => exportDocument(document, format) })),
  ]
}

/** Opens the time machine at the newest run of a document. */
async function replayNewest(document: string): Promise<void> {
  const [newest] = await api.runs(document)
  if (newest === undefined) throw new Error('This document has no run yet.')
  goTo(document, newest.id)
}
