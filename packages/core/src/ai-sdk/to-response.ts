import type { Chunk } from '../stream/chunk.ts'
import { OpenParts } from '../stream/open-parts.ts'
import { encodeSse, sseDone, sseHeaders, sseKeepAlive } from '../stream/wire/sse.ts'
import { WireAdapter, type WireClient, wireClient } from '../stream/wire/wire.ts'

export interface ResponseOptions {
  /** The client that reads the response. By default detected from `request`, otherwise an AI SDK client. */
  client?: WireClient | undefined
  /** Our own clients announce themselves in its headers. */
  request?: { readonly headers: { get(name: string): string | null } } | undefined
  headers?: Readonly<Record<string, string>> | undefined
  status?: number | undefined
  /** The error text for the client if the chunks fail. The cause itself may be confidential. */
  errorText?: ((error: unknown) => string) | undefined
  /** How often a comment keeps a silent connection open; every 15 seconds by default. */
  keepAliveMs?: number | undefined
}

const defaultErrorText = 'The answer could not be completed.'

/**
 * The chunks as a route handler's response, adapted to the client: the AI SDK's `useChat`, MUI X Chat, or ours. The
 * stream always ends in the right order, whatever the chunks do. If the client disconnects, the chunks are ended.
 */
export function toResponse(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  {
    client,
    request,
    headers,
    status = 200,
    errorText = () => defaultErrorText,
    keepAliveMs = 15_000,
  }: ResponseOptions = {},
): Response {
  const reader = client ?? (request === undefined ? 'ai-sdk' : wireClient(request.headers))
  const events = new ChunkEvents(chunks, reader, errorText)
  return new Response(toBytes(events, keepAliveMs), { status, headers: { ...sseHeaders, ...headers } })
}

/** An event's id is the offset of its chunk in the stream. */
class ChunkEvents {
  readonly #chunks: AsyncIterator<Chunk> | Iterator<Chunk>
  readonly #wire: WireAdapter
  readonly #errorText: (error: unknown) => string
  readonly #open: OpenParts = new OpenParts()
  #offset = 0
  #isDone = false

  constructor(
    chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
    client: WireClient,
    errorText: (error: unknown) => string,
  ) {
    this.#chunks = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
    this.#wire = new WireAdapter(client)
    this.#errorText = errorText
  }

  /** The next chunk's events, possibly none; undefined after the last. Never rejects. */
  async next(): Promise<string | undefined> {
    if (this.#isDone) return undefined
    try {
      const { done, value } = await this.#chunks.next()
      return done === true ? this.#end(defaultErrorText) : this.#encode(value)
    } catch (error) {
      return this.#end(this.#errorText(error))
    }
  }

  /** Call it when the client disconnects. Ends the source immediately, even while waiting for the next chunk. */
  async leave(): Promise<void> {
    this.#isDone = true
    await this.#chunks.return?.()
  }

  #end(errorText: string): string {
    this.#isDone = true
    const last = this.#open.end({ type: 'error', errorText })
    return [...last.map(chunk => this.#encode(chunk)), sseDone].join('')
  }

  #encode(chunk: Chunk): string {
    this.#open.watch(chunk)
    const out = this.#wire.push(chunk)
    const id = this.#offset++
    return out.map((one, index) => encodeSse(one, index === out.length - 1 ? id : undefined)).join('')
  }
}

/** Sends bytes as fast as they are read, and a comment if nothing comes for a while. */
function toBytes(events: ChunkEvents, keepAliveMs: number): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(utf8.encode(sseKeepAlive))
      }, keepAliveMs)
    },
    async pull(controller) {
      let text: string | undefined
      do text = await events.next()
      while (text === '')
      if (text !== undefined) return controller.enqueue(utf8.encode(text))
      clearInterval(timer)
      controller.close()
    },
    async cancel() {
      clearInterval(timer)
      await events.leave()
    },
  })
}
