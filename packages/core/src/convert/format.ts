import { syntaxes } from '../syntax/registry.ts'

/** What a conversation is written as besides Markdown with calls in a syntax. */
const ownFormats = ['chatmd', 'callout', 'ui-messages', 'jsonl'] as const

export const documentFormat = 'chatmd'
export const chunkFormat = 'jsonl'

/**
 * `chatmd`: a document; `callout`: Markdown with `> [!tool]` blocks; `ui-messages`: a JSON list in the shape of the AI
 * SDK; `jsonl`: chunks, one a line, as a stream or a run log has them; the name of any other syntax: Markdown with calls
 * in it, and so also what a model said.
 */
export type TranscriptFormat = (typeof ownFormats)[number] | (string & {})

/** The ways to write a conversation down: the four, and the syntaxes. */
export const transcriptFormats: readonly TranscriptFormat[] = [
  ...ownFormats,
  ...syntaxes.names().filter(name => syntaxes.get(name).kind !== 'native' && !isOwnFormat(name)),
]

function isOwnFormat(name: string): boolean {
  return ownFormats.some(own => own === name)
}

/** The format of a text, by the name of its file and else by how it begins. */
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
