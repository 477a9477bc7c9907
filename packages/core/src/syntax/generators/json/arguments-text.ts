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
  #passedLength = 0
  #repairedText: KeptText | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** The arguments begin with the next character, or (`isFromString`) are the content of a JSON string. */
  begin(isFromString = false): void {
    this.offset = this.#reader.offset
    this.#passedLength = 0
    this.#repairedText = isFromString ? new KeptText() : undefined
  }

  pass(text: string): void {
    this.#passedLength += text.length
    this.#repairedText?.append(text)
    this.#reader.call?.writeJson(text)
  }

  put(json: string): void {
    this.#repairedText?.append(json)
    this.#reader.call?.writeJson(json)
  }

  repair(): void {
    if (this.#repairedText !== undefined) return
    this.#repairedText = new KeptText()
    this.#repairedText.append(this.#reader.between(this.offset, this.offset + this.#passedLength))
  }

  toString(): string {
    return this.#repairedText?.toString() ?? this.#reader.between(this.offset, this.offset + this.#passedLength)
  }
}
