import { type Diagnostic, DiagnosticLog } from '../../source/diagnostic.ts'
import type { ErrorCode } from '../../source/error.ts'
import type { Chunk, Envelope } from '../chunk.ts'
import { chunkProblem, isKnownType } from '../chunk-problem.ts'
import { isEnvelope } from './sequencer.ts'
import { SseReader } from './sse-reader.ts'

/** The headers of a chunk stream over HTTP, as AI SDK clients expect them. */
export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

export const sseDone = 'data: [DONE]\n\n'

/** A comment that only keeps the connection open. */
export const sseKeepAlive = ': keep-alive\n\n'

/** One chunk as one server-sent event; `id` is its offset in the run. */
export function encodeSse(chunk: Chunk | Envelope, id?: number | string): string {
  const data = `data: ${JSON.stringify(chunk)}\n\n`
  return id === undefined ? data : `id: ${id}\n${data}`
}

export interface SseEvent {
  id?: string
  chunk: Chunk | Envelope
}

export interface SseDecoder {
  /** The chunks completed by this piece. Never throws; bytes and text may be cut anywhere. */
  push(piece: Uint8Array | string): SseEvent[]
  /** The rest, including a last event without its empty line. */
  end(): SseEvent[]
  /** True after `[DONE]`. */
  readonly done: boolean
  /** The `Last-Event-ID` to send to continue from here. */
  readonly lastEventId: string | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: ReadonlyMap<ErrorCode, number>
}

export function decodeSse(): SseDecoder {
  return new ChunkDecoder()
}

class ChunkDecoder extends SseReader implements SseDecoder {
  done = false
  lastEventId: string | undefined
  readonly #log: DiagnosticLog = new DiagnosticLog()
  #events: SseEvent[] = []
  /** The current event's id takes effect once that event is complete. */
  #id: string | undefined
  #eventCount = 0

  get diagnostics(): readonly Diagnostic[] {
    return this.#log.list
  }

  get counts(): ReadonlyMap<ErrorCode, number> {
    return this.#log.counts
  }

  push(piece: Uint8Array | string): SseEvent[] {
    this.read(piece)
    return this.#take()
  }

  end(): SseEvent[] {
    this.finish()
    return this.#take()
  }

  #take(): SseEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  protected onField(name: string, value: string): void {
    if (name === 'id' && !value.includes('\0')) this.#id = value
  }

  /** If the end of the stream cuts an event's JSON short, the event must come again, so its id is ignored. */
  protected onEvent(data: string | undefined, cutShort: boolean): void {
    const before = this.lastEventId
    this.lastEventId = this.#id
    if (data !== undefined) {
      if (data === '[DONE]') this.done = true
      else if (!this.#readChunk(data) && cutShort) this.lastEventId = before
      this.#eventCount++
    } else if (cutShort) {
      this.lastEventId = before
    }
  }

  protected onTooLong(): void {
    this.lastEventId = this.#id
    this.#report('STREAM_MESSAGE_TOO_LONG', 'An event is longer than the longest possible message and was ignored.')
  }

  /** False if the text is not JSON. */
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
      const isKnown = isKnownType((chunk as { type?: unknown } | null)?.type)
      return this.#report(isKnown ? 'STREAM_BAD_CHUNK' : 'STREAM_UNKNOWN_CHUNK', problem)
    }
    const event: SseEvent = { chunk: value as Chunk | Envelope }
    if (this.lastEventId !== undefined) event.id = this.lastEventId
    this.#events.push(event)
  }

  #report(code: ErrorCode, message: string): void {
    this.#log.add({ code, severity: 'warning', message, chunk: this.#eventCount })
  }
}
