import type { ChatMessage } from '@argot/react'
import { api } from './api.ts'
import { type ExportFormat, exportFile } from './export/export-file.ts'

/** Gives a document of the server as a file to keep. */
export function exportDocument(path: string, format: ExportFormat): Promise<void> {
  const name = path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
  return exportFile({ name, text: async () => (await api.text(path)).text, messages: () => readAll(path) }, format)
}

async function readAll(path: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  for await (const page of api.messages(path)) messages.unshift(...page)
  return messages
}
