import { syntaxes } from '../syntax/registry.ts'

const ownFormats = ['chatmd', 'callout', 'ui-messages', 'jsonl'] as const

export const documentFormat = 'chatmd'
export const chunkFormat = 'jsonl'

/**
 * `chatmd`: a document. `callout`: Markdown with `> [!tool]` blocks. `ui-messages`: a JSON list in the AI SDK's shape.
 * `jsonl`: chunks, one per line, as in a stream or a run log. The name of any other syntax: Markdown with calls in it,
 * which includes a model's raw text.
 */
export type TranscriptFormat = (typeof ownFormats)[number] | (string & {})

export const transcriptFormats: readonly TranscriptFormat[] = [
  ...ownFormats,
  ...syntaxes.names().filter(name => syntaxes.get(name).kind !== 'native' && !isOwnFormat(name)),
]

function isOwnFormat(name: string): boolean {
  return ownFormats.some(own => own === name)
}

/** Decides by the file name, or otherwise by the beginning of the text. */
export function detectFormat(text: string, file?: string): TranscriptFormat {
  const ending = /\.([a-z]+)$/i.exec(file ?? '')?.[1]?.toLowerCase()
  if (ending === 'chatmd') return 'chatmd'
  if (ending === 'jsonl' || ending === 'ndjson') return 'jsonl'
  if (ending === 'json') return 'ui-messages'
  if (ending === 'md' || ending === 'markdown') return 'callout'
  const start = text.replace(/^\ufeff/, '').trimStart()
  if (start.startsWith('[')) return 'ui-messages'
  if (start.startsWith('{')) return 'jsonl'
  return /^<(?:!--(?! argot )|(?:config|tool|user|system|developer|assistant|msg|import)[\s/>])/.test(start)
    ? 'chatmd'
    : 'callout'
}
