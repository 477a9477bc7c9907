import { defined } from '../../source/defined.ts'
import { argotMetadata, type Chunk, finishReasons } from '../chunk.ts'
import { isInternalMark } from '../chunk-table.ts'
import { SteeredFilter } from '../user-message-chunk.ts'
import { AiSdkWire } from './ai-sdk-wire.ts'
import { signedId } from './signed-id.ts'

/**
 * A stream's reader. `argot` announced itself with the header `x-argot-chunks: 1` and gets everything. `ai-sdk` is a
 * client that rejects unknown types. `mui` is MUI X Chat, which ignores them but would print data parts.
 */
export type WireClient = 'argot' | 'ai-sdk' | 'mui'

export const announceHeader = 'x-argot-chunks'

/** The client wants every chunk except parts that it would have to take back. */
export const appendOnly = 'append-only'

/** Our own clients announce themselves; any other is an AI SDK client. */
export function wireClient(headers: { get(name: string): string | null }): WireClient {
  const announcement = headers.get(announceHeader)
  return announcement === '1' || announcement === appendOnly ? 'argot' : 'ai-sdk'
}

/** Whether a client with these headers can take back the parts of an interrupted step. A stock client only appends. */
export function canTakeBack(headers: { get(name: string): string | null }): boolean {
  return headers.get(announceHeader) === '1'
}

/** Adapts chunks to what a client can read. Use one per stream; O(1) per chunk. */
export class WireAdapter {
  readonly #client: WireClient
  readonly #aiSdk: AiSdkWire = new AiSdkWire()
  readonly #hidden: Set<string> = new Set()
  readonly #calls: Map<string, { toolName: string; input?: unknown; dynamic?: boolean }> = new Map()
  readonly #steered: SteeredFilter = new SteeredFilter()

  constructor(client: WireClient) {
    this.#client = client
  }

  /** The chunks to send in place of this one, possibly none. */
  push(chunk: Chunk): Chunk[] {
    if (isInternalMark(chunk)) return []
    if (this.#client === 'argot') return [chunk]
    // Only our own clients can show what happens inside a call. Others get previews of its output.
    if (chunk.type === 'data-argot-sub') return []
    return this.#complete(chunk).flatMap(one => (this.#client === 'mui' ? toMuiChunks(one) : this.#aiSdk.push(one)))
  }

  /** Adds fields that both kinds of clients need and Argot doesn't. */
  #complete(chunk: Chunk): Chunk[] {
    // For clients other than ours, a stream is one message, which continues.
    if (this.#steered.leavesOut(chunk)) return []
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
      case 'tool-input-available':
        this.#note(chunk)
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
        return [chunk]
    }
  }

  #note(chunk: Extract<Chunk, { type: 'tool-input-start' | 'tool-input-available' }>): void {
    const { toolCallId, toolName, dynamic } = chunk
    const input = chunk.type === 'tool-input-available' ? { input: chunk.input } : {}
    this.#calls.set(toolCallId, { toolName, ...input, ...defined({ dynamic }) })
  }

  /** MUI X Chat opens a call only with `tool-input-start`, and the AI SDK needs the name again. */
  #inputError(chunk: Extract<Chunk, { type: 'tool-input-error' }>): Chunk[] {
    const call = this.#calls.get(chunk.toolCallId)
    if (call !== undefined) return [{ toolName: call.toolName, ...chunk }]
    const { toolCallId, toolName = 'unknown', dynamic } = chunk
    return [
      { type: 'tool-input-start', toolCallId, toolName, ...defined({ dynamic }) },
      { ...chunk, toolName },
    ]
  }
}

/**
 * MUI X Chat ignores unknown types, and would print Argot's own data. It keeps only a question's id, so the id contains
 * the signature.
 */
function toMuiChunks(chunk: Chunk): Chunk[] {
  const isRepeated =
    (chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response') && chunk.known === true
  if (chunk.type.startsWith('data-argot-') || isRepeated) return []
  if (chunk.type !== 'tool-approval-request' || chunk.signature === undefined) return [chunk]
  return [{ ...chunk, approvalId: signedId(chunk.approvalId ?? chunk.toolCallId, chunk.signature) }]
}

/** With a hand-made MUI X Chat stream, the answers also come by hand, under the question's id. */
function removeSignature(chunk: Chunk): Chunk {
  if (chunk.type !== 'tool-approval-request') return chunk
  const { signature: _, ...request } = chunk
  return request
}

/** A stream for MUI X Chat, which detects a failure only from an errored stream: an `error` chunk errors it. */
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
        const out = adapter.push(removeSignature(value))
        for (const chunk of out) controller.enqueue(chunk)
        if (out.length > 0) return
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
