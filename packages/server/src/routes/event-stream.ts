import { sseHeaders, sseKeepAlive } from '@argot/core/stream'

const utf8 = new TextEncoder()
const keepAlive = utf8.encode(sseKeepAlive)

/** After how long a comment keeps a silent connection open. */
const KEEP_ALIVE_MS = 15_000

export interface EventStreamOptions {
  headers?: Readonly<Record<string, string>> | undefined
  /** Called once when the stream is over, however it ended. */
  ended: () => void
  /** Aborted when the reader has left. */
  signal: AbortController
}

/**
 * A response of server-sent events: its head and a comment are sent at once, then text as fast as it is read, and a comment
 * where nothing comes for a while.
 */
export function eventStream(
  texts: AsyncIterable<string | Uint8Array>,
  { headers, ended, signal }: EventStreamOptions,
): Response {
  const iterator = texts[Symbol.asyncIterator]()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
    signal.abort()
    ended()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(utf8.encode('retry: 1000\n: argot\n\n'))
        timer = setTimeout(() => {
          // Who does not read has enough to read.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(keepAlive)
          timer?.refresh()
        }, KEEP_ALIVE_MS)
        timer.unref()
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
            timer?.refresh()
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
  return new Response(body, {
    headers: { ...sseHeaders, 'cache-control': 'no-cache, no-transform', ...headers },
  })
}
