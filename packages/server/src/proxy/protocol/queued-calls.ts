import type { Chunk } from '@argot/core'

/**
 * For protocols that write one item at a time: while a call is open, everything else waits until it is complete. A
 * server may interleave the pieces of several calls.
 */
export class QueuedCalls {
  #open: string | undefined
  #waiting: Chunk[] = []

  /** Joins what `write` returns for each chunk that doesn't have to wait. */
  write(chunks: readonly Chunk[], write: (chunk: Chunk) => string): string {
    const released: Chunk[] = []
    for (const chunk of chunks) this.#take(chunk, released)
    let events = ''
    for (const chunk of released) events += write(chunk)
    return events
  }

  rest(): Chunk[] {
    this.#open = undefined
    return this.#waiting.splice(0)
  }

  #take(chunk: Chunk, released: Chunk[]): void {
    const id = 'toolCallId' in chunk ? chunk.toolCallId : undefined
    if (this.#open !== undefined && id !== this.#open) {
      this.#waiting.push(chunk)
      return
    }
    released.push(chunk)
    if (chunk.type === 'tool-input-start') this.#open = id
    else if (chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error') {
      this.#open = undefined
      const waiting = this.#waiting.splice(0)
      for (const next of waiting) this.#take(next, released)
    }
  }
}
