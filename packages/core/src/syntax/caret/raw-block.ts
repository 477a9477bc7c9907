import { CR, isBlank, isBlankOrCr, LF } from '../reader/char-codes.ts'
import type { Reader } from '../reader/reader.ts'

const DASH = 45

/**
 * Reads a value of raw lines up to the line that ends it: its name after as many dashes as opened it.
 *
 *     content ---
 *     fn main() {}
 *     --- content
 *
 * The line breaks before its first and after its last line are layout. If the first is a bare LF, so is the last, so
 * that a value can end in CR.
 */
export class RawBlock {
  #name = ''
  #dashes = 0
  #crlf = false
  /** A line break, or the first half of one, that is layout if the end marker follows. */
  #tail = ''
  #isLineStart = true
  /** The part of an end marker being read, or `none`, and how much of that part has matched. */
  #part: 'none' | 'dashes' | 'blanks' | 'name' | 'rest' = 'none'
  #matched = 0
  #marker = ''
  /** Offsets of the value in the model's text. */
  #start = 0
  #end = 0

  /** The value begins at the reader's position, which is the start of a line. */
  begin(reader: Reader, name: string, dashes: number, crlf: boolean): void {
    this.#start = this.#end = reader.offset
    this.#name = name
    this.#dashes = dashes
    this.#crlf = crlf
    this.#tail = ''
    this.#isLineStart = true
    this.#part = 'none'
  }

  /** The complete value. Call it only after the value has ended. */
  text(reader: Reader): string {
    return reader.between(this.#start, this.#end)
  }

  /** Writes text into the open parameter. Returns true at the line break after the end marker. */
  read(reader: Reader): boolean {
    while (reader.at < reader.text.length) {
      if (this.#part !== 'none') {
        if (this.#readMarker(reader)) return true
      } else if (this.#isLineStart && reader.text.charCodeAt(reader.at) === DASH) {
        this.#part = 'dashes'
        this.#matched = 0
        this.#marker = ''
      } else this.#readLines(reader)
    }
    return false
  }

  /**
   *   | content ---
   * > | fn main() {}
   *       ^
   *   | --- content
   */
  #readLines(reader: Reader): void {
    const { text, at } = reader
    this.#isLineStart = false
    let lineEnd = text.indexOf('\n', at)
    while (lineEnd >= 0 && lineEnd + 1 < text.length && text.charCodeAt(lineEnd + 1) !== DASH) {
      lineEnd = text.indexOf('\n', lineEnd + 1)
    }
    const end = lineEnd < 0 ? text.length : lineEnd
    this.#isLineStart = lineEnd >= 0
    reader.at = lineEnd < 0 ? end : end + 1
    if (this.#tail === '\r' && lineEnd === at) {
      this.#tail = '\r\n'
      return
    }
    if (this.#tail !== '') reader.call?.write(this.#tail)
    const contentEnd = end > at && text.charCodeAt(end - 1) === CR ? end - 1 : end
    if (lineEnd < 0) this.#tail = contentEnd < end ? '\r' : ''
    else this.#tail = contentEnd < end ? '\r\n' : '\n'
    if (contentEnd > at) reader.call?.write(text, at, contentEnd)
  }

  /**
   *   | fn main() {}
   * > | --- content
   *       ^
   */
  #readMarker(reader: Reader): boolean {
    while (reader.at < reader.text.length) {
      const code = reader.text.charCodeAt(reader.at)
      if (this.#part === 'rest' && code === LF) {
        this.#end = reader.offset - this.#marker.length - this.#tail.length
        if (this.#tail === '\r\n' && !this.#crlf) {
          reader.call?.write('\r')
          this.#end++
        }
        return true
      }
      if (!this.#continues(code)) {
        reader.call?.write(this.#tail + this.#marker)
        this.#tail = ''
        this.#isLineStart = false
        this.#part = 'none'
        return false
      }
      this.#marker += reader.text.charAt(reader.at++)
    }
    return false
  }

  #continues(code: number): boolean {
    switch (this.#part) {
      case 'dashes':
        if (code === DASH) return ++this.#matched <= this.#dashes
        this.#part = 'blanks'
        return this.#matched === this.#dashes && isBlank(code)
      case 'blanks':
        if (isBlank(code)) return true
        this.#part = 'name'
        this.#matched = 0
        return this.#continues(code)
      case 'name':
        if (code !== this.#name.charCodeAt(this.#matched)) return false
        if (++this.#matched === this.#name.length) this.#part = 'rest'
        return true
      default:
        return isBlankOrCr(code)
    }
  }
}
