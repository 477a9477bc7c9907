import { copyText } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import { type ExportFormat, exportFile, toMarkdown } from '../export/export-file.ts'
import { words } from '../locale/words.ts'
import { api } from '../server/api.ts'

export function exportDocument(path: string, format: ExportFormat): Promise<void> {
  const name = path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
  return exportFile({ name, text: async () => (await api.text(path)).text, messages: () => readAll(path) }, format)
}

export async function copyDocument(path: string): Promise<void> {
  const isCopied = await copyText(await toMarkdown(await readAll(path)))
  if (!isCopied) throw new Error(words().commands.notCopied)
}

async function readAll(path: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  for await (const page of api.messages(path)) messages.unshift(...page)
  return messages
}
