import type { ToolInvocation } from '../../message/tool-invocation.ts'
import { GrowingText } from '../json/growing-text.ts'
import { type GrownString, type JsonProblem, PartialJson } from '../json/partial-json.ts'
import { defineLazily } from './lazy-property.ts'
import { SurrogateJoiner } from './payload.ts'

export interface StreamingInputState {
  raw: string
  held: string
  encoding: 'json' | 'text'
}

/** JSON, or for a custom tool call the input itself. */
export class StreamingInput {
  readonly #joiner: SurrogateJoiner
  readonly #json: PartialJson | undefined
  readonly #text: GrowingText = new GrowingText()

  constructor(encoding: 'json' | 'text', onLoneSurrogate: () => void, state?: StreamingInputState) {
    this.#json = encoding === 'json' ? new PartialJson() : undefined
    this.#joiner = new SurrogateJoiner(onLoneSurrogate, state?.held)
    if (state !== undefined) this.#append(state.raw)
  }

  get raw(): string | undefined {
    const raw = this.#json?.raw ?? this.#text.text
    return raw === '' ? undefined : raw
  }

  get length(): number {
    return (this.#json ?? this.#text).length
  }

  get parameters(): number {
    return this.#json?.parameters ?? 0
  }

  get complete(): boolean {
    return this.#json?.complete ?? true
  }

  /** As in `PartialJson`. Input that is not JSON is one growing string. */
  get growingString(): number {
    return this.#json?.growingString ?? 1
  }

  get growingLength(): number {
    return this.#json?.growingLength ?? this.#text.length
  }

  grownSince(length: number): GrownString {
    return this.#json?.grownSince(length) ?? { path: [], text: this.#text.since(length) }
  }

  /** Returns a problem with the text, once, when it is found. */
  push(text: string): JsonProblem | undefined {
    return this.#append(this.#joiner.push(text))
  }

  end(): JsonProblem | undefined {
    return this.#append(this.#joiner.end())
  }

  /** Later text does not change the value. */
  capture(): { readonly value: unknown } {
    return this.#json?.capture() ?? { value: this.#text.text }
  }

  /** A short input is built immediately, which is cheaper than a property that is built when it is read. */
  addTo(invocation: ToolInvocation): void {
    if (this.length <= SHORT_INPUT_LENGTH) invocation.input = this.capture().value
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
    const hadNoProblem = json.problem === undefined
    json.push(text)
    return hadNoProblem ? json.problem : undefined
  }
}

const SHORT_INPUT_LENGTH = 256
