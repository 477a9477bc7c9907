import type { ToolInvocation } from '../../message/tool-invocation.ts'
import { GrowingText } from '../json/growing-text.ts'
import { type GrownString, type JsonProblem, PartialJson } from '../json/partial-json.ts'
import { defineLazily } from './lazy-property.ts'
import { SurrogateJoiner } from './payload.ts'

/** An input that streams, as plain data. */
export interface StreamingInputState {
  raw: string
  held: string
  encoding: 'json' | 'text'
}

/** The input text of a call while it streams: JSON, or for a custom tool call the input itself. */
export class StreamingInput {
  readonly #joiner: SurrogateJoiner
  /** Undefined where the text is the input itself. */
  readonly #json: PartialJson | undefined
  readonly #text: GrowingText = new GrowingText()

  constructor(encoding: 'json' | 'text', onLone: () => void, state?: StreamingInputState) {
    this.#json = encoding === 'json' ? new PartialJson() : undefined
    this.#joiner = new SurrogateJoiner(onLone, state?.held)
    if (state !== undefined) this.#append(state.raw)
  }

  /** Everything so far; undefined while there is nothing. */
  get raw(): string | undefined {
    const raw = this.#json?.raw ?? this.#text.text
    return raw === '' ? undefined : raw
  }

  /** UTF-16 units so far. */
  get length(): number {
    return (this.#json ?? this.#text).length
  }

  /** How many keys the input has so far. */
  get parameters(): number {
    return this.#json?.parameters ?? 0
  }

  /** Nothing is missing: the JSON value has ended. */
  get complete(): boolean {
    return this.#json?.complete ?? true
  }

  /** The number of the string that is being written, counted from 1; 0 where there is none. */
  get growingString(): number {
    return this.#json?.growingString ?? 1
  }

  /** UTF-16 units of it so far. */
  get growingLength(): number {
    return this.#json?.growingLength ?? this.#text.length
  }

  /** Where it is in the input, and what of it comes after its first `length` UTF-16 units. */
  grownSince(length: number): GrownString {
    return this.#json?.grownSince(length) ?? { path: [], text: this.#text.since(length) }
  }

  /** Returns what is wrong with the text, once, when it is found. */
  push(text: string): JsonProblem | undefined {
    return this.#append(this.#joiner.push(text))
  }

  end(): JsonProblem | undefined {
    return this.#append(this.#joiner.end())
  }

  /** The value as it is now; later text does not change it. */
  capture(): { readonly value: unknown } {
    return this.#json?.capture() ?? { value: this.#text.text }
  }

  /**
   * Gives a snapshot of the call the input as it is now. A short one is built at once, which is cheaper than a property
   * that is built when it is read.
   */
  showIn(invocation: ToolInvocation): void {
    if (this.length <= SHORT_LENGTH) invocation.input = this.capture().value
    else defineLazily(invocation, 'input', this.capture())
  }

  toJSON(): StreamingInputState {
    return { raw: this.raw ?? '', held: this.#joiner.held, encoding: this.#json === undefined ? 'text' : 'json' }
  }

  #append(text: string): JsonProblem | undefined {
    const json = this.#json
    if (json === undefined) {
      this.#text.append(text)
      return undefined
    }
    const fine = json.problem === undefined
    json.push(text)
    return fine ? json.problem : undefined
  }
}

/** UTF-16 units up to which an input is short. */
const SHORT_LENGTH = 256
