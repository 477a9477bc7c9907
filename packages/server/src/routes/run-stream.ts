import { type Chunk, encodeSse } from '@argot/core'
import { SeamFilter, sseDone, toEnding, WireAdapter, wireClient } from '@argot/core/stream'
import type { WireClient } from '@argot/core/stream/internal'
import type { FeedLine } from '../runs/live/run-feed.ts'
import { eventStream } from './event-stream.ts'
import type { RouteInput } from './route.ts'

export interface RunStreamOptions {
  run: string
  from: number
  /**
   * `end`: until the run has ended. `parked`: even while it waits for somebody, for clients that answer only after the
   * stream has ended.
   */
  until: 'end' | 'parked'
  /** What comes before `from` the client has from an earlier stream, which ended when the run was parked. */
  isContinued?: boolean | undefined
  /** Show the whole as one message, without the places at which it was parked and has been continued. */
  isOne?: boolean | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** The chunks of a run as a response, fitted to the client that reads them. The id of an event is the offset of its chunk. */
export function runStream({ server, request, client }: RouteInput, options: RunStreamOptions): Response {
  const ended = server.streams.open(client, [options.run])
  const signal = new AbortController()
  const stop = (): void => signal.abort()
  const stay = server.whenClosing(stop)
  const first = options.isContinued === true ? options.from : 0
  const texts = events(server.runs.read(options.run, first, signal.signal), wireClient(request.headers), {
    ...options,
    signal: signal.signal,
    settled: () => server.runs.settled(options.run),
    isParkedAt: offset => server.runs.isParkedAt(options.run, offset),
  })
  return eventStream(texts, {
    signal,
    ended: () => {
      stay()
      ended()
    },
    headers: { 'x-argot-run-id': options.run, ...options.headers },
  })
}

interface EventsOptions extends RunStreamOptions {
  signal: AbortSignal
  settled(): Promise<void>
  /** Whether the run waits now where the chunk at this offset says so. */
  isParkedAt(offset: number): Promise<boolean>
}

/**
 * A client that needs chunks fitted to it gets those that it has seen put into its adapter all the same. The end is said
 * once it is the end for everybody: whoever asks for the document then has all of it.
 */
async function* events(
  batches: AsyncIterable<readonly FeedLine[]>,
  client: WireClient,
  { from, until, isOne = false, signal, settled, isParkedAt }: EventsOptions,
): AsyncGenerator<string | Uint8Array> {
  const wire = client === 'argot' ? undefined : new WireAdapter(client)
  const seams = isOne ? new SeamFilter() : undefined
  const isPlain = wire === undefined && until === 'end' && !isOne
  for await (const lines of batches) {
    if (isPlain) {
      const shown = lines.filter(({ o }) => o >= from)
      if (shown.length > 0) yield shown.length === 1 ? shown[0]!.event : Buffer.concat(shown.map(({ event }) => event))
      continue
    }
    let text = ''
    for (const line of lines) {
      const { o, chunk } = line
      const isParked = toEnding(chunk) === 'parked' && until === 'parked' && o >= from
      const isEnd = isParked && (!isOne || (await isParkedAt(o)))
      if (seams?.keeps(chunk, isEnd) !== false) text += encode(line, wire, o >= from)
      if (isEnd) {
        yield text
        await settled()
        yield sseDone
        return
      }
    }
    yield text
  }
  // Who is sent away comes back and continues: only the end of the run is the end.
  if (signal.aborted) return
  await settled()
  if (!signal.aborted) yield sseDone
}

function encode({ o, chunk, json }: FeedLine, wire: WireAdapter | undefined, isShown: boolean): string {
  if (wire === undefined) return isShown ? `id: ${o}\ndata: ${json}\n\n` : ''
  const out: Chunk[] = wire.push(chunk)
  if (!isShown) return ''
  return out.map((one, index) => encodeSse(one, index === out.length - 1 ? o : undefined)).join('')
}
