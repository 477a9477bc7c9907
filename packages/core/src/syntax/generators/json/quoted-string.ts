import { escapeJson } from '../../value/json-text.ts'
import type { JsonSink } from './json-sink.ts'

/** Reads a string between a dialect's own delimiters, in pieces: `<|"|>src/main.rs<|"|>`. */
export class QuotedString {
  /** `none`: what looked like a delimiter wasn't one. */
  state: 'opening' | 'open' | 'closing' | 'closed' | 'none' = 'none'
  readonly #delimiter: string
  #matched = 0
  /** The first two characters of the content, and the last one. */
  #first = ''
  #last = ''

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  begin(): void {
    this.state = 'opening'
    this.#matched = 0
    this.#first = this.#last = ''
  }

  /** The string begins or ends as if a character of its delimiter were doubled. */
  get hasExtraBracket(): boolean {
    const { length } = this.#delimiter
    const isDoubled = this.#first.startsWith(this.#delimiter.charAt(length - 1)) && !/^.\s/.test(this.#first)
    return isDoubled || this.#last === this.#delimiter.charAt(0)
  }

  /** Returns the index after what it read. */
  read(text: string, at: number, sink: JsonSink): number {
    if (this.state === 'open') return this.#readContent(text, at, sink)
    const delimiter = this.#delimiter
    let i = at
    while (i < text.length && text.charCodeAt(i) === delimiter.charCodeAt(this.#matched)) {
      i++
      if (++this.#matched < delimiter.length) continue
      this.#matched = 0
      sink.put('"')
      this.state = this.state === 'opening' ? 'open' : 'closed'
      return i
    }
    if (i === text.length) return i
    const matched = this.#matched
    this.#matched = 0
    if (this.state === 'opening') this.state = 'none'
    else {
      this.#put(delimiter, 0, matched, sink)
      this.state = 'open'
    }
    return i
  }

  #readContent(text: string, at: number, sink: JsonSink): number {
    const next = text.indexOf(this.#delimiter.charAt(0), at)
    const end = next < 0 ? text.length : next
    if (end > at) this.#put(text, at, end, sink)
    if (next >= 0) this.state = 'closing'
    return end
  }

  #put(text: string, start: number, end: number, sink: JsonSink): void {
    if (this.#first.length < 2) this.#first += text.slice(start, Math.min(end, start + 2 - this.#first.length))
    this.#last = text.charAt(end - 1)
    sink.put(escapeJson(text, start, end))
  }
}
