import { argotMetadata, type Chunk, type DataChunk, finishReasons } from './chunk.ts'
import { chunkFacts, isInternalMark } from './chunk-table.ts'

/**
 * Who reads a stream. `argot` announced itself with the header `x-argot-chunks: 1` and gets everything; `ai-sdk` is a
 * client that rejects types it does not know; `mui` is MUI X Chat, which ignores them but would print data parts.
 */
export type WireClient = 'argot' | 'ai-sdk' | 'mui'

/** The request header by which our own clients announce themselves. */
export const announceHeader = 'x-argot-chunks'

/** Fits chunks to what a client can read. One per stream; O(1) per chunk. */
export class WireAdapter {
  readonly #client: WireClient
  /** Texts past the call limit: only our own clients get them. */
  readonly #hidden: Set<string> = new Set()
  readonly #calls: Map<string, { toolName: string; input?: unknown }> = new Map()

  constructor(client: WireClient) {
    this.#client = client
  }

  /** What goes out in place of this chunk; possibly nothing. */
  push(chunk: Chunk): Chunk[] {
    if (isInternalMark(chunk)) return []
    if (this.#client === 'argot') return [chunk]
    switch (chunk.type) {
      case 'text-start':
        if (argotMetadata(chunk)?.phase !== 'remainder') return [chunk]
        this.#hidden.add(chunk.id)
        return []
      case 'text-delta':
        return this.#hidden.has(chunk.id) ? [] : [chunk]
      case 'text-end':
        return this.#hidden.delete(chunk.id) ? [] : [chunk]
      case 'tool-input-start':
        this.#calls.set(chunk.toolCallId, { toolName: chunk.toolName })
        return [chunk]
      case 'tool-input-available':
        this.#calls.set(chunk.toolCallId, { toolName: chunk.toolName, input: chunk.input })
        return [chunk]
      case 'tool-input-error':
        return this.#inputError(chunk)
      case 'tool-approval-request':
        return [{ ...this.#calls.get(chunk.toolCallId), approvalId: chunk.toolCallId, ...chunk } as Chunk]
      case 'message-metadata': {
        const metadata = chunk.messageMetadata ?? chunk.metadata
        return [{ ...chunk, messageMetadata: metadata, metadata }]
      }
      case 'finish':
        if (chunk.finishReason === undefined || finishReasons.includes(chunk.finishReason)) return [chunk]
        return [{ ...chunk, finishReason: 'other' }]
      default:
        return this.#client === 'mui' ? forMui(chunk) : [factOnly(chunk)]
    }
  }

  /** MUI X Chat opens a call by its `tool-input-start` only. */
  #inputError(chunk: Extract<Chunk, { type: 'tool-input-error' }>): Chunk[] {
    if (this.#calls.has(chunk.toolCallId)) return [chunk]
    const { toolCallId, toolName = 'unknown', dynamic } = chunk
    return [{ type: 'tool-input-start', toolCallId, toolName, ...(dynamic !== undefined && { dynamic }) }, chunk]
  }
}

/** MUI X Chat ignores types that it does not know, and would print data that is Argot's own. */
function forMui(chunk: Chunk): Chunk[] {
  return chunk.type.startsWith('data-argot-') ? [] : [chunk]
}

/** AI SDK clients of v6 reject some types: they get the fact as transient data. */
function factOnly(chunk: Chunk): Chunk {
  const { fact } = chunkFacts(chunk)
  if (fact === undefined) return chunk
  const { type: _, ...data } = chunk
  return { type: fact, data, transient: true } satisfies DataChunk
}

/**
 * A stream for MUI X Chat, which learns of a failure only from an errored stream: an `error` chunk errors it.
 */
export function toMuiStream(chunks: AsyncIterable<Chunk>): ReadableStream<Chunk> {
  const adapter = new WireAdapter('mui')
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream<Chunk>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await iterator.next()
        if (done === true) return controller.close()
        if (value.type === 'error') {
          await iterator.return?.()
          return controller.error(new Error(value.errorText))
        }
        const out = adapter.push(value)
        for (const chunk of out) controller.enqueue(chunk)
        if (out.length > 0) return
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
