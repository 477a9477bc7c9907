import * as limits from '../limits.ts'

const BYTE_ORDER_MARK = 0xfeff

/**
 * Reads server-sent events of any protocol. Bytes and text may be cut anywhere, and every character is looked at once. A
 * subclass gets the data of each event, the other fields, and the events that are too long to be kept.
 */
export abstract class SseReader {
  readonly #utf8: TextDecoder = new TextDecoder()
  /** The pieces of a line that has not ended yet. */
  #line: string[] = []
  /** That line is longer than an event may be: the rest of it is dropped. */
  #overlong = false
  /** The last piece ended with CR: an LF that follows belongs to it. */
  #afterReturn = false
  /** Something has come: only before it a byte order mark means nothing. */
  #started = false
  /** The data lines of the event that is being read, and their length. */
  #data: string[] = []
  #length = 0

  /** An event is complete. `data` is undefined if it has none, `cutShort` is set if the stream ended without a blank line. */
  protected abstract onEvent(data: string | undefined, cutShort: boolean): void

  protected abstract onTooLong(): void

  /** A field other than `data`. */
  protected abstract onField(name: string, value: string): void

  protected read(piece: Uint8Array | string): void {
    if (typeof piece !== 'string') this.#read(this.#utf8.decode(piece, { stream: true }))
    else this.#read(this.#started || piece.charCodeAt(0) !== BYTE_ORDER_MARK ? piece : piece.slice(1))
    this.#started ||= piece.length > 0
  }

  /** The stream has ended: its last event may lack its blank line. */
  protected finish(): void {
    this.#read(this.#utf8.decode())
    if (this.#line.length > 0 || this.#overlong) this.#endLine('')
    this.#dispatch(true)
  }

  /** Cuts the text into lines: each ends with LF, CRLF or CR. */
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

  /** A blank line ends an event. */
  #dispatch(cutShort: boolean): void {
    const length = this.#length
    const data = this.#data
    this.#length = 0
    if (data.length > 0) this.#data = []
    if (length > limits.messageLength) this.onTooLong()
    else this.onEvent(data.length === 1 ? data[0] : data.length === 0 ? undefined : data.join('\n'), cutShort)
  }
}
