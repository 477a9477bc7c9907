import type { ServerResponse } from 'node:http'
import { sseHeaders, sseKeepAlive } from '@argot/core/stream'
import { type KeptAlive, keepAlive } from './keep-alive.ts'

const utf8 = new TextEncoder()
const comment = utf8.encode(sseKeepAlive)
const head = utf8.encode('retry: 1000\n: argot\n\n')

export interface EventStreamOptions {
  headers?: Readonly<Record<string, string>> | undefined
  /** Called once when the stream is over, however it ended. */
  onEnd: () => void
  /** Aborted when the reader has left. */
  signal: AbortController
}

type Texts = AsyncIterable<string | Uint8Array>

/**
 * A response with server-sent events. Its head and a comment are sent immediately, then text as fast as it is read, and
 * a comment if nothing comes for a while.
 */
export function eventStream(texts: Texts, options: EventStreamOptions): Response {
  return new EventResponse(texts, options)
}

/**
 * Has no body until its destination is known: `toWeb` adds one, `sendTo` needs none. Call exactly one of the three
 * methods.
 */
export class EventResponse extends Response {
  readonly #texts: Texts
  readonly #options: EventStreamOptions

  constructor(texts: Texts, options: EventStreamOptions) {
    super(null, { headers: { ...sseHeaders, 'cache-control': 'no-cache, no-transform', ...options.headers } })
    this.#texts = texts
    this.#options = options
  }

  /** For any server that takes a `Response`. */
  toWeb(): Response {
    return new Response(webBody(this.#texts, this.#options), { headers: this.headers })
  }

  /** Writes directly into a Node response. Text for many readers is written to each and copied for none. */
  sendTo(outgoing: ServerResponse): void {
    outgoing.writeHead(200, Object.fromEntries(this.headers))
    void send(this.#texts, outgoing, this.#options)
  }

  /** Releases a response that won't be read. */
  async cancel(): Promise<void> {
    this.#options.signal.abort()
    this.#options.onEnd()
    await this.#texts[Symbol.asyncIterator]().return?.()
  }
}

async function send(texts: Texts, outgoing: ServerResponse, { onEnd, signal }: EventStreamOptions): Promise<void> {
  let next = (): void => {}
  const stream: KeptAlive = {
    isSilent: false,
    remind: () => void (outgoing.writableNeedDrain || outgoing.write(comment)),
  }
  const stop = keepAlive(stream)
  const onLeave = (): void => {
    signal.abort()
    next()
  }
  outgoing.on('drain', () => next())
  outgoing.on('close', onLeave)
  // An error is followed by `close`.
  outgoing.on('error', onLeave)
  try {
    outgoing.write(head)
    for await (const text of texts) {
      if (outgoing.destroyed) break
      if (text.length === 0) continue
      stream.isSilent = false
      if (outgoing.write(text)) continue
      await new Promise<void>(resolve => {
        next = resolve
        if (outgoing.destroyed) resolve()
      })
    }
    outgoing.end()
  } catch (error) {
    outgoing.destroy(error instanceof Error ? error : undefined)
  } finally {
    stop()
    signal.abort()
    onEnd()
  }
}

function webBody(texts: Texts, { onEnd, signal }: EventStreamOptions): ReadableStream<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]()
  let stop = (): void => {}
  const stream: KeptAlive = { isSilent: false, remind: () => {} }
  const end = (): void => {
    stop()
    signal.abort()
    onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(head)
        stream.remind = () => {
          // A slow reader still has enough to read.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment)
        }
        stop = keepAlive(stream)
      },
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await iterator.next()
            if (done === true) {
              end()
              return controller.close()
            }
            if (value.length === 0) continue
            stream.isSilent = false
            return controller.enqueue(typeof value === 'string' ? utf8.encode(value) : value)
          }
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      async cancel() {
        end()
        await iterator.return?.()
      },
    },
    { highWaterMark: 2 },
  )
}
