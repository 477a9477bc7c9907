import type { ChatMessage } from '@argot/react'
import { toUIMessage } from 'argot'
import { api } from '../api.ts'

/** What a conversation can be kept as. */
export type ExportFormat = 'chatmd' | 'markdown' | 'json' | 'html'

/** Gives the browser a file to keep. */
function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
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

/**
 * Gives a conversation as a file: the document as it is on the disk, Markdown with callouts, messages in the shape of the
 * AI SDK, or a page that needs no server.
 */
export async function exportDocument(path: string, format: ExportFormat): Promise<void> {
  const name = path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
  switch (format) {
    case 'chatmd':
      return download(`${name}.chatmd`, (await api.text(path)).text, 'text/plain')
    case 'json':
      return download(
        `${name}.json`,
        JSON.stringify((await readAll(path)).map(toUIMessage), null, 2),
        'application/json',
      )
    case 'markdown': {
      const { writeTranscript } = await import('argot/convert')
      return download(`${name}.md`, writeTranscript(await readAll(path), 'callout').text, 'text/markdown')
    }
    case 'html': {
      const { htmlFile } = await import('./html-file.tsx')
      return download(`${name}.html`, await htmlFile(name, await readAll(path)), 'text/html')
    }
  }
}
