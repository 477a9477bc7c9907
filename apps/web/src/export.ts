import type { ChatMessage } from '@argot/react'
import { toUIMessage } from 'argot'
import { api } from './api.ts'

/** Gives the browser a file to keep. */
function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

async function readAll(path: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  for await (const page of api.messages(path)) messages.unshift(...page)
  return messages
}

/** The document as it is on the disk, or its messages in the shape of the AI SDK. */
export async function exportDocument(path: string, format: 'chatmd' | 'json'): Promise<void> {
  const name = path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
  if (format === 'chatmd') return download(`${name}.chatmd`, (await api.text(path)).text, 'text/plain')
  download(`${name}.json`, JSON.stringify((await readAll(path)).map(toUIMessage), null, 2), 'application/json')
}
