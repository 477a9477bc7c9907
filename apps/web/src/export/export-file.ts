import { toUIMessage } from '@argot/core'
import type { ChatMessage } from '@argot/react/types'

export type ExportFormat = 'chatmd' | 'markdown' | 'json' | 'html'

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

export interface ExportSource {
  name: string
  text(): Promise<string>
  messages(): Promise<readonly ChatMessage[]>
}

/**
 * Exports a conversation as the document from the disk, Markdown with callouts, AI SDK messages, or a standalone page.
 */
export async function exportFile({ name, text, messages }: ExportSource, format: ExportFormat): Promise<void> {
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

export async function toMarkdown(messages: readonly ChatMessage[]): Promise<string> {
  const { writeTranscript } = await import('@argot/core/convert')
  return writeTranscript(messages, 'callout').text
}
