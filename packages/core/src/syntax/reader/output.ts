import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import type { Chunk, ToolChunk } from '../../stream/chunk.ts'

type PartKind = 'text' | 'reasoning'

/**
 * A reader's output. Consecutive text and deltas within one push become one chunk. A text part opens with its first
 * character and closes before a call.
 */
export class Output {
  #chunks: Chunk[] = []
  #pendingKind: PartKind | 'input' | undefined
  #pending = ''
  #pendingId = ''
  #open: PartKind | undefined
  #openId = ''
  #parts = 0
  readonly #step: number

  constructor(step: number) {
    this.#step = step
  }

  text(text: string): void {
    if (this.#pendingKind !== 'text') {
      if (text === '') return
      this.#enter('text')
    }
    this.#pending = this.#pending === '' ? text : this.#pending + text
  }

  reasoning(text: string): void {
    this.#enter('reasoning')
    this.#pending += text
  }

  /** The rest of a message after its limit: a text part that is kept and never shown. */
  beginRemainder(): void {
    this.#begin('text', { argot: { phase: 'remainder' } })
  }

  input(toolCallId: string, json: string): void {
    if (this.#pendingKind !== 'input') {
      this.#flush()
      this.#pendingKind = 'input'
      this.#pendingId = toolCallId
    }
    this.#pending = this.#pending === '' ? json : this.#pending + json
  }

  tool(chunk: ToolChunk): void {
    this.endPart()
    this.#chunks.push(chunk)
  }

  endPart(): void {
    this.#flush()
    this.#pendingKind = undefined
    if (this.#open === undefined) return
    this.#chunks.push({ type: `${this.#open}-end`, id: this.#openId })
    this.#open = undefined
  }

  takeChunks(): Chunk[] {
    if (this.#chunks.length > 0) {
      this.#flush()
      const chunks = this.#chunks
      this.#chunks = []
      return chunks
    }
    // By far the most common case: a single delta. An array of one is smaller than one that has grown.
    return this.#pending === '' ? [] : [this.#takePending()]
  }

  #enter(kind: PartKind): void {
    if (this.#pendingKind === kind) return
    if (this.#open === kind) {
      this.#flush()
      this.#pendingKind = kind
      this.#pendingId = this.#openId
    } else this.#begin(kind)
  }

  #begin(kind: PartKind, providerMetadata?: ProviderMetadata): void {
    this.endPart()
    this.#open = this.#pendingKind = kind
    this.#openId = this.#pendingId = `${kind}-${this.#step}-${++this.#parts}`
    this.#chunks.push({
      type: `${kind}-start`,
      id: this.#pendingId,
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    })
  }

  #flush(): void {
    if (this.#pending !== '') this.#chunks.push(this.#takePending())
  }

  #takePending(): Chunk {
    const pending = this.#pending
    this.#pending = ''
    if (this.#pendingKind === 'text') return { type: 'text-delta', id: this.#pendingId, delta: pending }
    if (this.#pendingKind === 'input')
      return { type: 'tool-input-delta', toolCallId: this.#pendingId, inputTextDelta: pending }
    return { type: 'reasoning-delta', id: this.#pendingId, delta: pending }
  }
}
