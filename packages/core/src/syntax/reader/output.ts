import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import type { Chunk, ToolChunk } from '../../stream/chunk.ts'

type PartKind = 'text' | 'reasoning'

/**
 * A reader's output. Consecutive text and deltas within one push become one chunk. A text part opens with its first
 * character and closes before a call.
 */
export class Output {
  #chunks: Chunk[] = []
  /** What `#pending` holds: text of the open part, or JSON of the open call. */
  #kind: PartKind | 'input' | undefined
  #pending = ''
  /** The part or call that `#pending` belongs to. */
  #id = ''
  #open: PartKind | undefined
  #openId = ''
  #parts = 0
  readonly #step: number

  constructor(step: number) {
    this.#step = step
  }

  /** Text outside calls. */
  text(text: string): void {
    if (this.#kind !== 'text') {
      if (text === '') return
      this.#enter('text')
    }
    this.#pending = this.#pending === '' ? text : this.#pending + text
  }

  /** Text within reasoning tags, as a separate part. */
  reasoning(text: string): void {
    this.#enter('reasoning')
    this.#pending += text
  }

  /** The rest of a message after its limit: a text part that is kept and never shown. */
  beginRemainder(): void {
    this.#begin('text', { argot: { phase: 'remainder' } })
  }

  input(toolCallId: string, json: string): void {
    if (this.#kind !== 'input') {
      this.#flush()
      this.#kind = 'input'
      this.#id = toolCallId
    }
    this.#pending = this.#pending === '' ? json : this.#pending + json
  }

  tool(chunk: ToolChunk): void {
    this.endPart()
    this.#chunks.push(chunk)
  }

  endPart(): void {
    this.#flush()
    this.#kind = undefined
    if (this.#open === undefined) return
    this.#chunks.push({ type: `${this.#open}-end`, id: this.#openId })
    this.#open = undefined
  }

  /** The chunks since the last `take`. */
  take(): Chunk[] {
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
    if (this.#kind === kind) return
    if (this.#open === kind) {
      this.#flush()
      this.#kind = kind
      this.#id = this.#openId
    } else this.#begin(kind)
  }

  #begin(kind: PartKind, providerMetadata?: ProviderMetadata): void {
    this.endPart()
    this.#open = this.#kind = kind
    this.#openId = this.#id = `${kind}-${this.#step}-${++this.#parts}`
    this.#chunks.push({
      type: `${kind}-start`,
      id: this.#id,
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    })
  }

  #flush(): void {
    if (this.#pending !== '') this.#chunks.push(this.#takePending())
  }

  #takePending(): Chunk {
    const pending = this.#pending
    this.#pending = ''
    if (this.#kind === 'text') return { type: 'text-delta', id: this.#id, delta: pending }
    if (this.#kind === 'input') return { type: 'tool-input-delta', toolCallId: this.#id, inputTextDelta: pending }
    return { type: 'reasoning-delta', id: this.#id, delta: pending }
  }
}
