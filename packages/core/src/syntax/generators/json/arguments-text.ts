import { KeptText } from '../../reader/kept-text.ts'
import type { Reader } from '../../reader/reader.ts'
import type { JsonSink } from './json-sink.ts'

/**
 * The arguments of a call as strict JSON: sent on as they come, where the call is open. They are kept only once they
 * differ from the model's text; until then that text is what they are.
 */
export class ArgumentsText implements JsonSink {
  /** Where they begin in the model's text. */
  offset = 0
  readonly #reader: Reader
  /** How many characters were taken as they are. */
  #passed = 0
  /** All of them, once something was repaired. */
  #repaired: KeptText | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** The arguments begin with the next character. `elsewhere`: what is passed on is not the reader's own text. */
  begin(elsewhere = false): void {
    this.offset = this.#reader.offset
    this.#passed = 0
    this.#repaired = elsewhere ? new KeptText() : undefined
  }

  pass(text: string): void {
    this.#passed += text.length
    this.#repaired?.append(text)
    this.#reader.call?.writeJson(text)
  }

  put(json: string): void {
    this.#repaired?.append(json)
    this.#reader.call?.writeJson(json)
  }

  repair(): void {
    if (this.#repaired !== undefined) return
    this.#repaired = new KeptText()
    this.#repaired.append(this.#reader.between(this.offset, this.offset + this.#passed))
  }

  /** All that was passed on. */
  toString(): string {
    return this.#repaired?.toString() ?? this.#reader.between(this.offset, this.offset + this.#passed)
  }
}
