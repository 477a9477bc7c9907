import type { Chunk } from '@argot/core'
import type { Segment } from './reading.ts'

/** A call whose end is not known yet. */
interface UnclosedCall {
  id: string
  start: number | undefined
}

export interface CallRange {
  id: string
  start: number
  end: number
}

/**
 * Maps a reader's output to positions in its text. A reader conserves text: its output is in the text, in order, and
 * everything in between is a call or a mark that is not part of the reply. Push the text one character at a time, so
 * that each piece of output ends where the reader is.
 */
export class SourceMap {
  readonly segments: Segment[] = []
  readonly ranges: CallRange[] = []
  /** Up to here, the reader has decided what the text is. */
  end = 0
  readonly #text: string
  #pending: UnclosedCall[] = []
  readonly #calls = new Map<string, UnclosedCall>()

  constructor(text: string) {
    this.#text = text
  }

  begin(id: string, start: number): void {
    this.#expect(id).start ??= start
  }

  /** `chunks` came out, and the reader had then decided the text up to `decided`. */
  take(chunks: readonly Chunk[], decided: number): void {
    for (const chunk of chunks) {
      if (chunk.type === 'text-delta') this.#place('text', chunk.delta, decided)
      else if (chunk.type === 'reasoning-delta') this.#place('reasoning', chunk.delta, decided)
      else if ('toolCallId' in chunk) this.#expect(chunk.toolCallId)
    }
  }

  finish(): void {
    this.#close(this.#text.length)
  }

  #expect(id: string): UnclosedCall {
    let call = this.#calls.get(id)
    if (call === undefined) {
      call = { id, start: undefined }
      this.#calls.set(id, call)
      this.#pending.push(call)
    }
    return call
  }

  #place(kind: 'text' | 'reasoning', delta: string, decided: number): void {
    if (delta === '') return
    const start = this.#find(delta, decided)
    this.#close(start)
    this.end = start + delta.length
    const last = this.segments.at(-1)
    if (last?.kind === kind && last.end === start) last.end = this.end
    else this.segments.push({ kind, start, end: this.end })
  }

  /** The last text that came out ends where the reader has decided. An earlier one follows the text before it. */
  #find(delta: string, decided: number): number {
    const exact = decided - delta.length
    if (exact >= this.end && this.#text.startsWith(delta, exact)) return exact
    if (this.#pending.length === 0 && this.#text.startsWith(delta, this.end)) return this.end
    const last = this.#text.lastIndexOf(delta, Math.max(this.end, exact))
    return last >= this.end ? last : Math.max(this.end, this.#text.indexOf(delta, this.end))
  }

  /** Anything before `start` that is not text is a call that came out since, or a mark. */
  #close(start: number): void {
    const calls = this.#pending
    this.#pending = []
    let at = this.end
    calls.forEach(({ id, start: begin }, index) => {
      const first = Math.min(start, Math.max(at, begin ?? at))
      this.#mark(at, first)
      const next = calls[index + 1]?.start
      at = next === undefined ? (index === calls.length - 1 ? start : first) : Math.min(start, Math.max(first, next))
      this.#addCall(id, first, at)
    })
    this.#mark(at, start)
    this.end = start
  }

  #addCall(id: string, start: number, end: number): void {
    this.segments.push({ kind: 'call', start, end, index: this.ranges.length })
    this.ranges.push({ id, start, end })
  }

  #mark(start: number, end: number): void {
    if (end > start) this.segments.push({ kind: 'mark', start, end })
  }
}
