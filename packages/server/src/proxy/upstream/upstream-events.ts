import { StringDecoder } from 'node:string_decoder'
import { SseReader } from '@argot/core/stream/internal'

/** The data of one event. llama.cpp has sent errors in a separate `error` field. */
export type UpstreamEvent = { type: 'data' | 'error'; data: string } | { type: 'done' } | { type: 'too-long' }

/** Reads the events of a chat completions stream, in pieces cut anywhere. */
export class UpstreamEvents extends SseReader {
  /** Five times as fast as a `TextDecoder` for short pieces. */
  readonly #utf8: StringDecoder = new StringDecoder('utf8')
  #events: UpstreamEvent[] = []

  push(piece: Buffer): UpstreamEvent[] {
    this.read(this.#utf8.write(piece))
    return this.#take()
  }

  end(): UpstreamEvent[] {
    this.read(this.#utf8.end())
    this.finish()
    return this.#take()
  }

  protected onEvent(data: string | undefined): void {
    if (data === '[DONE]') this.#events.push({ type: 'done' })
    else if (data !== undefined) this.#events.push({ type: 'data', data })
  }

  protected onField(name: string, value: string): void {
    if (name === 'error') this.#events.push({ type: 'error', data: value })
  }

  protected onTooLong(): void {
    this.#events.push({ type: 'too-long' })
  }

  #take(): UpstreamEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}
