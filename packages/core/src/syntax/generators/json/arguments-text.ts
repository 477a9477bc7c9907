import { KeptText } from '../../reader/kept-text.ts'
import type { Reader } from '../../reader/reader.ts'
import type { JsonSink } from './json-sink.ts'

/**
 * A call's arguments as strict JSON, streamed if the call is open. They are stored only once they differ from the
 * model's text. Until then, that text is the arguments.
 */
export class ArgumentsText implements JsonSink {
  offset = 0
  readonly #reader: Reader
  /** The number of characters passed through unchanged. */
  #passed = 0
  #repaired: KeptText | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** The arguments begin with the next character. With `elsewhere`, the text passed on isn't the reader's own. */
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

  toString(): string {
    return this.#repaired?.toString() ?? this.#reader.between(this.offset, this.offset + this.#passed)
  }
}
