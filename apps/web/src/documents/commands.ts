import type { ExportFormat } from '../export/export-file.ts'
import { goTo } from '../frame/use-route.ts'
import { words } from '../locale/words.ts'
import { api } from '../server/api.ts'
import { copyDocument, exportDocument } from './export-document.ts'

export interface Command {
  key: string
  label: string
  keys?: string | undefined
  /** If it rejects, the page shows the error. */
  act: () => void | Promise<void>
}

const formats: readonly ExportFormat[] = ['html', 'markdown', 'json', 'chatmd']

export function documentCommands(document: string): Command[] {
  const { commands } = words()
  return [
    { key: 'copy', label: commands.copy, act: () => copyDocument(document) },
    { key: 'replay', label: commands.replay, act: () => replayNewest(document) },
    ...formats.map(format => ({ key: format, label: commands[format], act: () => exportDocument(document, format) })),
  ]
}

async function replayNewest(document: string): Promise<void> {
  const [newest] = await api.runs(document)
  if (newest === undefined) throw new Error(words().commands.noRun)
  goTo(document, newest.id)
}
