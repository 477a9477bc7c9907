import { toUIMessage } from '@argot/core'
import type { ChatMessage } from '@argot/react/types'

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

/** A conversation that can be kept. */
export interface Exported {
  /** The name of the file, without its ending. */
  name: string
  text(): Promise<string>
  messages(): Promise<readonly ChatMessage[]>
}

/**
 * Gives a conversation as a file: the document as it is on the disk, Markdown with callouts, messages in the shape of the
 * AI SDK, or a page that needs no server.
 */
export async function exportFile({ name, text, messages }: Exported, format: ExportFormat): Promise<void> {
  switch (format) {
    case 'chatmd':
      return download(`${name}.chatmd`, await text(), 'text/plain')
    case 'json':
      return download(`${name}.json`, JSON.stringify((await messages()).map(toUIMessage), null, 2), 'application/json')
    case 'markdown':
      return download(`${name}.md`, await toMarkdown(await messages()), 'text/markdown')
    case 'html': {
      const { htmlFile } = await import('./html-file.ts')
      return download(`${name}.html`, htmlFile(name, await messages()), 'text/html')
    }
  }
}

/** A conversation as Markdown, its calls as callouts. */
export async function toMarkdown(messages: readonly ChatMessage[]): Promise<string> {
  const { writeTranscript } = await import('@argot/core/convert')
  return writeTranscript(messages, 'callout').text
}
