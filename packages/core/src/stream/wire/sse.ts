import { type Diagnostic, DiagnosticLog } from '../../source/diagnostic.ts'
import type { ErrorCode } from '../../source/error.ts'
import type { Chunk, Envelope } from '../chunk.ts'
import { chunkProblem, isKnownType } from '../chunk-problem.ts'
import * as limits from '../limits.ts'
import { isEnvelope } from './envelope.ts'

/** The headers of a chunk stream over HTTP, as AI SDK clients expect them. */
export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

/** The last event of a stream. */
export const sseDone = 'data: [DONE]\n\n'

/** A comment that keeps a connection open and means nothing. */
export const sseKeepAlive = ': keep-alive\n\n'

/** One chunk as one server-sent event; `id` is its offset in the run. */
export function encodeSse(chunk: Chunk | Envelope, id?: number | string): string {
  const data = `data: ${JSON.stringify(chunk)}\n\n`
  return id === undefined ? data : `id: ${id}\n${data}`
}

/** A chunk as it arrived, with the id of its event. */
export interface SseEvent {
  id?: string
  /** What `accumulate().push` takes. */
  chunk: Chunk | Envelope
}

/** Reads server-sent events as they arrive. */
export interface SseDecoder {
  /** The chunks that are complete with this piece. Never throws; bytes and text may be cut anywhere. */
  push(piece: Uint8Array | string): SseEvent[]
  /** The rest: also a last event without its blank line. */
  end(): SseEvent[]
  /** `[DONE]` has come. */
  readonly done: boolean
  /** What to send as `Last-Event-ID` to continue from here. */
  readonly lastEventId: string | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: ReadonlyMap<ErrorCode, number>
}

const BYTE_ORDER_MARK = 0xfeff

export function decodeSse(): SseDecoder {
  return new PushDecoder()
}

class PushDecoder implements SseDecoder {
  done = false
  lastEventId: string | undefined
  readonly #log: DiagnosticLog = new DiagnosticLog()
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
  #events: SseEvent[] = []
  /** The id of the event that is being read; it counts once that event is complete. */
  #id: string | undefined
  /** Events read so far, for diagnostics. */
  #count = 0

  get diagnostics(): readonly Diagnostic[] {
    return this.#log.list
  }

  get counts(): ReadonlyMap<ErrorCode, number> {
    return this.#log.counts
  }

  push(piece: Uint8Array | string): SseEvent[] {
    if (typeof piece !== 'string') this.#read(this.#utf8.decode(piece, { stream: true }))
    else this.#read(this.#started || piece.charCodeAt(0) !== BYTE_ORDER_MARK ? piece : piece.slice(1))
    this.#started ||= piece.length > 0
    return this.#take()
  }

  end(): SseEvent[] {
    this.#read(this.#utf8.decode())
    if (this.#line.length > 0 || this.#overlong) this.#endLine('')
    this.#dispatch(true)
    return this.#take()
  }

  #take(): SseEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Cuts the text into lines: each ends with LF, CRLF or CR. Every character is looked at once. */
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
    else if (line === '') this.#dispatch()
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
    if (name === 'data' && this.#length <= limits.messageLength) this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
  }

  /** A blank line ends an event. One that the end of the stream cut short must come again, so its id does not count. */
  #dispatch(cutShort = false): void {
    const length = this.#length
    const data = this.#data
    const before = this.lastEventId
    this.#length = 0
    this.#data = []
    this.lastEventId = this.#id
    if (length > limits.messageLength) {
      this.#report('STREAM_MESSAGE_TOO_LONG', 'An event is longer than a message may be and was ignored.')
    } else if (data.length > 0) {
      const text = data.length === 1 ? data[0]! : data.join('\n')
      if (text === '[DONE]') this.done = true
      else if (!this.#readChunk(text) && cutShort) this.lastEventId = before
      this.#count++
    } else if (cutShort) {
      this.lastEventId = before
    }
  }

  /** False where the text is not JSON. */
  #readChunk(text: string): boolean {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      this.#report('STREAM_BAD_JSON', 'The data of an event is not JSON.')
      return false
    }
    this.#deliver(value)
    return true
  }

  #deliver(value: unknown): void {
    const chunk = isEnvelope(value) ? value.chunk : value
    const problem = chunkProblem(chunk)
    if (problem !== undefined) {
      const known = isKnownType((chunk as { type?: unknown } | null)?.type)
      return this.#report(known ? 'STREAM_BAD_CHUNK' : 'STREAM_UNKNOWN_CHUNK', problem)
    }
    const event: SseEvent = { chunk: value as Chunk | Envelope }
    if (this.lastEventId !== undefined) event.id = this.lastEventId
    this.#events.push(event)
  }

  #report(code: ErrorCode, message: string): void {
    this.#log.add({ code, severity: 'warning', message, chunk: this.#count })
  }
}
