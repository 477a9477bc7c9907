import type { Chunk } from '../stream/chunk.ts'
import type { BlockRecord, BlockState } from './block/block-record.ts'
import { calloutParser } from './callout.ts'

export { formatCallout } from './callout.ts'

/** A word of the text outside callouts, with the whitespace after it. */
interface MarkdownTextChunk {
  type: 'text'
  text: string
}

/** A callout. Fields unknown to Argot are kept next to the known ones. */
interface MarkdownToolChunk {
  type: 'tool'
  toolCallId: string
  toolName: string
  /** If the callout has none, derived from its output and error. */
  state: BlockState
  input: unknown
  output?: unknown
  errorText?: string
  /** The source of a callout that couldn't be read. `errorText` says why. */
  rawInput?: string
  [field: string]: unknown
}

export type MarkdownChunk = MarkdownTextChunk | MarkdownToolChunk

const ownFields = new Set([
  'type',
  'toolCallId',
  'toolName',
  'state',
  'input',
  'output',
  'errorText',
  'rawInput',
] as const satisfies (keyof MarkdownToolChunk)[]) as ReadonlySet<string>

/**
 * Splits a whole document into words and callouts, with the streaming parser. The words, joined, are the document
 * without its callouts. Never throws: a callout that can't be read becomes a failed call.
 */
export function parseMarkdownIntoChunks(markdown: string): MarkdownChunk[] {
  const records = new Map<string, BlockRecord>()
  const parser = calloutParser({}, record => records.set(record.toolCallId, record))
  const chunks: MarkdownChunk[] = []
  const calls = new Map<string, MarkdownToolChunk>()
  let text = ''
  for (const chunk of [...parser.push(markdown), ...parser.end()]) {
    if (chunk.type === 'text-delta') text += chunk.delta
    else if (chunk.type === 'tool-input-start') {
      addWords(chunks, text)
      text = ''
      const call = createToolChunk(chunk.toolCallId, chunk.toolName, records.get(chunk.toolCallId))
      calls.set(chunk.toolCallId, call)
      chunks.push(call)
    } else if ('toolCallId' in chunk) {
      const call = calls.get(chunk.toolCallId)
      if (call !== undefined) apply(call, chunk)
    }
  }
  addWords(chunks, text)
  return chunks
}

function createToolChunk(toolCallId: string, toolName: string, record: BlockRecord | undefined): MarkdownToolChunk {
  const { state = 'input-available', extra } = record ?? {}
  return { ...extra, type: 'tool', toolCallId, toolName, state, input: {} }
}

function apply(call: MarkdownToolChunk, chunk: Chunk): void {
  switch (chunk.type) {
    case 'tool-input-available':
      call.input = chunk.input
      break
    case 'tool-output-available':
      call.output = chunk.output
      break
    case 'tool-output-error':
      call.errorText = chunk.errorText
      if (chunk.providerMetadata?.argot?.code !== undefined) call.state = 'output-error'
      break
    case 'tool-input-error':
      call.errorText = chunk.errorText
      call.state = 'output-error'
      call.rawInput = String(chunk.input)
      break
    default:
  }
}

function addWords(chunks: MarkdownChunk[], text: string): void {
  for (const [word] of text.matchAll(/\S+\s*|\s+/g)) chunks.push({ type: 'text', text: word })
}

/**
 * The document as a stream: words as the deltas of text parts, and one to three chunks per callout
 * (`tool-input-available`; `tool-output-available` if there is an output; `tool-output-error` if there is an error). A
 * callout that couldn't be read is a single `tool-input-error`. The caller adds `start` and `finish`.
 */
export function createStreamChunks(chunks: Iterable<MarkdownChunk>): Chunk[] {
  const stream: Chunk[] = []
  let parts = 0
  let open: string | undefined
  const endText = () => {
    if (open !== undefined) stream.push({ type: 'text-end', id: open })
    open = undefined
  }
  for (const chunk of chunks) {
    if (chunk.type === 'tool') {
      endText()
      stream.push(...createToolEvents(chunk))
      continue
    }
    if (open === undefined) {
      open = `text-${++parts}`
      stream.push({ type: 'text-start', id: open })
    }
    stream.push({ type: 'text-delta', id: open, delta: chunk.text })
  }
  endText()
  return stream
}

function createToolEvents(call: MarkdownToolChunk): Chunk[] {
  const { toolCallId, toolName, state, output } = call
  const errorText = call.errorText ?? (state === 'output-error' ? 'Tool failed' : undefined)
  const extra = Object.entries(call).filter(([field]) => !ownFields.has(field))
  const metadata = extra.length === 0 ? {} : { providerMetadata: { argot: { extra: Object.fromEntries(extra) } } }
  if (call.rawInput !== undefined) {
    const reason = errorText ?? 'The call could not be read.'
    return [{ type: 'tool-input-error', toolCallId, toolName, input: call.rawInput, errorText: reason, ...metadata }]
  }
  const events: Chunk[] = [{ type: 'tool-input-available', toolCallId, toolName, input: call.input, ...metadata }]
  if (output !== undefined || state === 'output-available') {
    const preview = errorText === undefined ? {} : { preliminary: true }
    events.push({ type: 'tool-output-available', toolCallId, output: output === undefined ? null : output, ...preview })
  }
  if (errorText !== undefined) events.push({ type: 'tool-output-error', toolCallId, errorText })
  return events
}
