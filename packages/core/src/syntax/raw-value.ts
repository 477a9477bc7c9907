import { CR, LF } from './codes.ts'
import type { Reader } from './reader.ts'

/**
 * Reads a value that stands as it is between two tags, up to the tag that closes it. One line break directly behind the
 * opening tag and one directly before the closing tag are layout, not value. Where the first is a bare LF the second
 * is too, so that a value can end in CR.
 */
export class RawValue {
  #closing = ''
  /** How much of the closing tag has been seen. */
  #matched = 0
  /** A line break that is layout if the closing tag follows. */
  #tail = ''
  /** No character of the value has been seen. */
  #fresh = true
  #afterLf = false
  /** Where the value begins and ends in the model's text. */
  #start = 0
  #end = 0

  /** The value begins at the reader's place and ends at `closing`, which starts with `<` and has no other. */
  begin(reader: Reader, closing: string): void {
    this.#start = reader.offset
    this.#closing = closing
    this.#matched = 0
    this.#tail = ''
    this.#fresh = true
    this.#afterLf = false
  }

  /** The whole value, once it has been read. */
  text(reader: Reader): string {
    return reader.between(this.#start, this.#end)
  }

  /** Writes what comes into the open parameter; true when the closing tag has been read. */
  read(reader: Reader): boolean {
    const { text } = reader
    if (this.#fresh) this.#readLayout(reader)
    while (reader.at < text.length) {
      if (this.#matched > 0) {
        if (!this.#readClosing(reader)) continue
        this.#endLayout(reader)
        return true
      }
      const start = reader.at
      const less = text.indexOf('<', start)
      const end = less < 0 ? text.length : less
      if (end > start) this.#write(reader, start, end)
      if (less >= 0) this.#matched = 1
      reader.at = less < 0 ? end : less + 1
    }
    return false
  }

  /**
   *   | <param:content>
   *                    ^
   */
  #readLayout(reader: Reader): void {
    const code = reader.text.charCodeAt(reader.at)
    if (code === LF) {
      reader.at++
      this.#afterLf = this.#tail === ''
      this.#start += this.#tail.length + 1
      this.#tail = ''
      this.#fresh = false
    } else if (code === CR && this.#tail === '') {
      this.#tail = '\r'
      if (++reader.at < reader.text.length) this.#readLayout(reader)
    } else this.#fresh = false
  }

  /**
   *   | </param:content>
   *        ^
   */
  #readClosing(reader: Reader): boolean {
    const { text } = reader
    const closing = this.#closing
    while (reader.at < text.length) {
      if (text.charCodeAt(reader.at) !== closing.charCodeAt(this.#matched)) {
        reader.call?.write(this.#tail + closing.slice(0, this.#matched))
        this.#tail = ''
        this.#matched = 0
        return false
      }
      reader.at++
      if (++this.#matched === closing.length) return true
    }
    return false
  }

  /** Part of the value, but for a line break at its end. */
  #write(reader: Reader, start: number, end: number): void {
    const { text } = reader
    if (this.#tail !== '') {
      if (this.#tail === '\r' && text.charCodeAt(start) === LF) {
        this.#tail = '\r\n'
        if (++start === end) return
      }
      reader.call?.write(this.#tail)
    }
    const code = text.charCodeAt(end - 1)
    if (code === CR) this.#tail = '\r'
    else if (code !== LF) this.#tail = ''
    else this.#tail = end - 1 > start && text.charCodeAt(end - 2) === CR ? '\r\n' : '\n'
    if (end - this.#tail.length > start) reader.call?.write(text, start, end - this.#tail.length)
  }

  /** The closing tag has come: the line break before it was layout. */
  #endLayout(reader: Reader): void {
    this.#end = reader.offset - this.#closing.length - this.#tail.length
    if (this.#tail === '\r' || (this.#tail === '\r\n' && this.#afterLf)) {
      reader.call?.write('\r')
      this.#end++
    }
  }
}
