import * as limits from '../limits.ts'

const BYTE_ORDER_MARK = 0xfeff

/**
 * Reads server-sent events of any protocol. Bytes and text may be cut anywhere, and every character is read only once.
 * A subclass gets each event's data, the other fields, and events that are too long to keep.
 */
export abstract class SseReader {
  readonly #utf8: TextDecoder = new TextDecoder()
  #line: string[] = []
  /** The current line is longer than an event may be: the rest of it is dropped. */
  #overlong = false
  /** The last piece ended with CR, and a following LF belongs to it. */
  #afterReturn = false
  /** A byte order mark is ignored only at the very beginning. */
  #started = false
  #data: string[] = []
  #length = 0

  /**
   * An event is complete. `data` is undefined if it has none. `cutShort` is set if the stream ended without an empty
   * line.
   */
  protected abstract onEvent(data: string | undefined, cutShort: boolean): void

  protected abstract onTooLong(): void

  protected abstract onField(name: string, value: string): void

  protected read(piece: Uint8Array | string): void {
    if (typeof piece !== 'string') this.#read(this.#utf8.decode(piece, { stream: true }))
    else this.#read(this.#started || piece.charCodeAt(0) !== BYTE_ORDER_MARK ? piece : piece.slice(1))
    this.#started ||= piece.length > 0
  }

  /** Ends the stream: the last event may lack its empty line. */
  protected finish(): void {
    this.#read(this.#utf8.decode())
    if (this.#line.length > 0 || this.#overlong) this.#endLine('')
    this.#dispatch(true)
  }

  /** Lines end with LF, CRLF or CR. */
  #read(piece: string): void {
    if (piece === '') return
    let from = this.#afterReturn && piece.charCodeAt(0) === 10 ? 1 : 0
    this.#afterReturn = false
    let feed = piece.indexOf('\n', from)
    let carriage = piece.indexOf('\r', from)
    while (feed !== -1 || carriage !== -1) {
      const end = feed === -1 || (carriage !== -1 && carriage < feed) ? carriage : feed
      this.#endLine(piece.slice(from, end))
      from = end + 1
      if (end === carriage) {
        if (from === piece.length) this.#afterReturn = true
        else if (piece.charCodeAt(from) === 10) from++
        carriage = piece.indexOf('\r', from)
      }
      if (feed !== -1 && feed < from) feed = piece.indexOf('\n', from)
    }
    if (from < piece.length) this.#hold(piece.slice(from))
  }

  #hold(piece: string): void {
    this.#length += piece.length
    if (this.#length <= limits.messageLength) this.#line.push(piece)
    else this.#overlong = true
  }

  #endLine(rest: string): void {
    let line = rest
    this.#length += rest.length
    if (this.#line.length > 0) {
      this.#line.push(rest)
      line = this.#line.join('')
      this.#line = []
    }
    if (this.#overlong) this.#overlong = false
    else if (line === '') this.#dispatch(false)
    else this.#field(line)
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) {
      this.#length -= line.length
      return
    }
    const name = colon === -1 ? line : line.slice(0, colon)
    const start = line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1
    const value = colon === -1 ? '' : line.slice(start)
    if (name !== 'data') this.onField(name, value)
    else if (this.#length <= limits.messageLength) this.#data.push(value)
  }

  #dispatch(cutShort: boolean): void {
    const length = this.#length
    const data = this.#data
    this.#length = 0
    if (data.length > 0) this.#data = []
    if (length > limits.messageLength) this.onTooLong()
    else this.onEvent(data.length === 1 ? data[0] : data.length === 0 ? undefined : data.join('\n'), cutShort)
  }
}
