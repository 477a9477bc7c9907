import type { Chunk } from '../../stream/chunk.ts'
import { KeptText } from './kept-text.ts'

export interface TrialCall {
  offset: number
  atLineStart: boolean
  /** It follows another call within the same wrapper. */
  isWithin: boolean
}

/** Reads reasoning as if it were a reply. */
export interface TrialReader {
  push(text: string): Chunk[]
  end(): Chunk[]
  /** Whether a call begins is decided for all text before this offset. */
  readonly decided: number
  /** The calls that began since this list was last emptied. */
  readonly opened: TrialCall[]
}

export interface HeldCalls {
  text: string
  atLineStart: boolean
}

/**
 * Holds calls in reasoning until it is clear whether the reasoning ends with them. Everything else passes immediately.
 * A call that can't be read, a call of an unknown tool, and a call followed by more thoughts are reasoning.
 */
export class ReasoningTrial {
  readonly #reader: TrialReader
  /** The text read since nothing was held. Up to `#returnedEnd`, it has been returned. */
  readonly #text = new KeptText()
  #textOffset = 0
  #returnedEnd = 0
  #length = 0
  /** The first of the calls that the reasoning ends with, so far. */
  #firstCall: TrialCall | undefined

  constructor(reader: TrialReader) {
    this.#reader = reader
  }

  /** Adds reasoning. Returns the text that is certain to be reasoning. */
  push(text: string): string {
    this.#length += text.length
    for (const chunk of this.#reader.push(text)) this.#read(chunk)
    const end = this.#certainEnd()
    if (end === this.#length && this.#returnedEnd === this.#length - text.length) {
      this.#forget()
      return text
    }
    this.#text.append(text)
    return this.#takeUntil(end)
  }

  /** The reasoning is closed, or something follows it, so the held text is reasoning. */
  release(): string {
    return this.#takeUntil(this.#length)
  }

  /** The reply ends within the reasoning. Returns the rest of the reasoning, and the calls after it, if any. */
  end(): { reasoning: string; calls: HeldCalls | undefined } {
    for (const chunk of this.#reader.end()) this.#read(chunk)
    const start = this.#firstCall
    if (start === undefined) return { reasoning: this.release(), calls: undefined }
    const reasoning = this.#takeUntil(start.offset)
    return { reasoning, calls: { text: this.release(), atLineStart: start.atLineStart } }
  }

  #read(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta':
        if (/\S/.test(chunk.delta)) this.#firstCall = undefined
        return
      case 'reasoning-start':
      case 'tool-input-error':
      case 'tool-output-error':
        this.#firstCall = undefined
        return
      case 'tool-input-start': {
        const call = this.#reader.opened.shift()
        if (call?.isWithin === false) this.#firstCall ??= call
        return
      }
      default:
    }
  }

  /** Everything before this offset is certain to be reasoning. */
  #certainEnd(): number {
    return Math.min(this.#firstCall?.offset ?? this.#length, this.#reader.decided)
  }

  #takeUntil(end: number): string {
    const text = this.#text.slice(this.#returnedEnd - this.#textOffset, end - this.#textOffset)
    this.#returnedEnd = end
    if (end === this.#length) this.#forget()
    return text
  }

  #forget(): void {
    this.#text.clear()
    this.#textOffset = this.#returnedEnd = this.#length
  }
}
