import type { Chunk } from '../../stream/chunk.ts'
import { KeptText } from './kept-text.ts'

/** The start of a call, as a trial's reader saw it. */
export interface TrialCall {
  offset: number
  atLineStart: boolean
  /** It follows another call within the same wrapper. */
  isWithin: boolean
}

/** Reads the reasoning as if it were a reply. */
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
  /** The text read since nothing was held, its offset, and how much of it has been returned. */
  readonly #text = new KeptText()
  #first = 0
  #returned = 0
  #length = 0
  /** The first of the complete calls that the reasoning ends with, so far. */
  #start: TrialCall | undefined

  constructor(reader: TrialReader) {
    this.#reader = reader
  }

  /** Adds reasoning. Returns the text that is certain to be reasoning. */
  push(text: string): string {
    this.#length += text.length
    for (const chunk of this.#reader.push(text)) this.#read(chunk)
    const end = this.#end()
    if (end === this.#length && this.#returned === this.#length - text.length) {
      this.#forget()
      return text
    }
    this.#text.append(text)
    return this.#give(end)
  }

  /** The reasoning is closed, or something follows it, so the held text is reasoning. */
  release(): string {
    return this.#give(this.#length)
  }

  /** The reply ends within the reasoning. Returns the rest of the reasoning, and the calls after it, if any. */
  end(): { reasoning: string; calls: HeldCalls | undefined } {
    for (const chunk of this.#reader.end()) this.#read(chunk)
    const start = this.#start
    if (start === undefined) return { reasoning: this.release(), calls: undefined }
    const reasoning = this.#give(start.offset)
    return { reasoning, calls: { text: this.release(), atLineStart: start.atLineStart } }
  }

  #read(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta':
        if (/\S/.test(chunk.delta)) this.#start = undefined
        return
      case 'reasoning-start':
      case 'tool-input-error':
      case 'tool-output-error':
        this.#start = undefined
        return
      case 'tool-input-start': {
        const call = this.#reader.opened.shift()
        if (call?.isWithin === false) this.#start ??= call
        return
      }
      default:
    }
  }

  /** Where a possible call begins. */
  #end(): number {
    return Math.min(this.#start?.offset ?? this.#length, this.#reader.decided)
  }

  #give(end: number): string {
    const text = this.#text.slice(this.#returned - this.#first, end - this.#first)
    this.#returned = end
    if (end === this.#length) this.#forget()
    return text
  }

  #forget(): void {
    this.#text.clear()
    this.#first = this.#returned = this.#length
  }
}
