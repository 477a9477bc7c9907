import { isDeepStrictEqual } from 'node:util'
import type { Chunk } from '@argot/core'
import { type ToolChunk, UniqueIds } from '@argot/core/stream/internal'

/**
 * Calls of one step that reuse an earlier id. With the same tool and input, the model only repeated itself, and the
 * second call is dropped. Otherwise it gets its own id. Its chunks wait until that is clear.
 */
export class RepeatedCalls {
  /** The call of each id in this step; `undefined` while its input is still being written. */
  readonly #calls: Map<string, { toolName: string | undefined; input: unknown } | undefined> = new Map()
  /** The chunks of second calls, by id. */
  readonly #waiting: Map<string, ToolChunk[]> = new Map()
  readonly #ids: UniqueIds = new UniqueIds()

  push(chunk: Chunk): Chunk[] {
    switch (chunk.type) {
      case 'tool-input-start':
        if (this.#calls.has(chunk.toolCallId)) {
          const waiting = this.#waiting.get(chunk.toolCallId)
          const before = waiting === undefined ? [] : this.#rename(chunk.toolCallId, waiting)
          this.#waiting.set(chunk.toolCallId, [chunk])
          return before
        }
        this.#calls.set(chunk.toolCallId, undefined)
        this.#ids.add(chunk.toolCallId)
        return [chunk]
      case 'tool-input-delta': {
        const waiting = this.#waiting.get(chunk.toolCallId)
        if (waiting === undefined) return [chunk]
        waiting.push(chunk)
        return []
      }
      case 'tool-input-available':
      case 'tool-input-error': {
        const waiting = this.#waiting.get(chunk.toolCallId)
        if (waiting === undefined) {
          this.#calls.set(chunk.toolCallId, { toolName: chunk.toolName, input: chunk.input })
          this.#ids.add(chunk.toolCallId)
          return [chunk]
        }
        this.#waiting.delete(chunk.toolCallId)
        const first = this.#calls.get(chunk.toolCallId)
        const same = chunk.type === 'tool-input-available' && first?.toolName === chunk.toolName
        if (same && isDeepStrictEqual(first.input, chunk.input)) return []
        return this.#rename(chunk.toolCallId, [...waiting, chunk])
      }
      default:
        return [chunk]
    }
  }

  /** The chunks that still wait at the end of the step: calls whose input never became complete. */
  end(): Chunk[] {
    return [...this.#waiting].flatMap(([id, waiting]) => this.#rename(id, waiting))
  }

  #rename(id: string, chunks: readonly ToolChunk[]): ToolChunk[] {
    const toolCallId = this.#ids.free(id)
    this.#ids.add(toolCallId)
    this.#calls.set(toolCallId, undefined)
    return chunks.map(chunk => ({ ...chunk, toolCallId }))
  }
}
