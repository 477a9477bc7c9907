import { type Chunk, encodeSse } from '@argot/core'
import { SeamFilter, sseDone, toEnding, WireAdapter, wireClient } from '@argot/core/stream'
import { canTakeBack, endBeforeUserMessage, SteeredFilter, type WireClient } from '@argot/core/stream/internal'
import type { FeedLine } from '../runs/live/run-feed.ts'
import type { ReadEnd } from '../runs/runs.ts'
import { AppendOnlyLog } from './append-only-log.ts'
import { eventStream } from './event-stream.ts'
import type { RouteInput } from './route.ts'

export interface RunStreamRequest {
  run: string
  from: number
  /**
   * `end`: until the run has ended. `parked`: also ends when the run waits for an answer, for clients that answer only
   * after the stream has ended.
   */
  until: 'end' | 'parked'
  /** The client has everything before `from` from an earlier stream, which ended when the run was parked. */
  isContinued?: boolean | undefined
  /** Leaves out the points where the run was parked and continued. */
  isOneMessage?: boolean | undefined
  /** Starts at the answer to this user message, which was sent to the run. */
  answerTo?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** A run's chunks as a response, adapted to the client. An event's id is the offset of its chunk. */
export async function runStream(input: RouteInput, options: RunStreamRequest): Promise<Response> {
  const { server, request, client } = input
  const reader = wireClient(request.headers)
  const log = canTakeBack(request.headers) ? undefined : await AppendOnlyLog.open(server, options)
  const releaseStream = server.streams.open(client, [options.run])
  const signal = new AbortController()
  const stop = (): void => signal.abort()
  const unsubscribe = server.whenClosing(stop)
  const read = ({ run, from, isContinued = false }: RunStreamRequest): AsyncGenerator<string | Uint8Array> => {
    let end: ReadEnd
    const batches = async function* (): AsyncGenerator<readonly FeedLine[]> {
      end = yield* server.runs.read(run, isContinued ? from : 0, signal.signal)
    }
    return events(batches(), reader, {
      ...{ ...options, run, from, isContinued },
      log,
      signal: signal.signal,
      hasEnded: () => end === 'ended',
      settled: () => server.runs.settled(run),
      isParkedAt: offset => server.runs.isParkedAt(run, offset),
    })
  }
  const { answerTo } = options
  const texts =
    answerTo === undefined
      ? read(options)
      : answerEvents(server.runs.answerTo(options.run, answerTo, signal.signal), place =>
          read({ ...options, ...place, isContinued: true }),
        )
  return eventStream(texts, {
    signal,
    onEnd: () => {
      unsubscribe()
      releaseStream()
    },
    headers: { 'x-argot-run-id': options.run, ...options.headers },
  })
}

async function* answerEvents(
  place: Promise<{ run: string; from: number } | undefined>,
  read: (place: { run: string; from: number }) => AsyncGenerator<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  const answer = await place
  if (answer !== undefined) yield* read(answer)
}

interface RunEventsRequest extends RunStreamRequest {
  /** The log for a client that can't take parts back. */
  log: AppendOnlyLog | undefined
  signal: AbortSignal
  /** Whether the lines came to the end of the run, and not only of its log at this path. */
  hasEnded(): boolean
  settled(): Promise<void>
  isParkedAt(offset: number): Promise<boolean>
}

/**
 * For a client that needs adapted chunks, those it has already seen still go through its adapter. The end is sent once
 * it is the end for every reader: a client that then requests the document gets all of it.
 */
async function* events(
  batches: AsyncIterable<readonly FeedLine[]>,
  client: WireClient,
  options: RunEventsRequest,
): AsyncGenerator<string | Uint8Array> {
  const { from, until, isOneMessage = false, log, signal, hasEnded, settled } = options
  const isPlain = client === 'argot' && log === undefined && until === 'end' && !isOneMessage
  const isOver = isPlain
    ? yield* plainEvents(batches, from, hasEnded)
    : yield* adaptedEvents(log === undefined ? batches : log.lines(batches, signal), client, options)
  // A disconnected client comes back and continues: only the end of the run is the end.
  if (!isOver || signal.aborted) return
  if (isOver !== 'steered') await settled()
  if (!signal.aborted) yield sseDone
}

/** True at the end of the run. */
async function* plainEvents(
  batches: AsyncIterable<readonly FeedLine[]>,
  from: number,
  hasEnded: () => boolean,
): AsyncGenerator<Uint8Array, boolean> {
  for await (const lines of batches) {
    const newLines = lines.filter(({ o }) => o >= from)
    if (newLines.length > 0)
      yield newLines.length === 1 ? newLines[0]!.event : Buffer.concat(newLines.map(({ event }) => event))
  }
  return hasEnded()
}

/**
 * True at the end of the run or when it waits; false if the client has parts that were taken back, or the log is no
 * longer there. A stream of one message ends where a user joins in (`steered`): the run continues in another stream.
 */
async function* adaptedEvents(
  batches: AsyncIterable<readonly (FeedLine | 'taken back')[]>,
  client: WireClient,
  { from, until, isOneMessage = false, isParkedAt, hasEnded, log }: RunEventsRequest,
): AsyncGenerator<string, boolean | 'steered'> {
  const wire = client === 'argot' ? undefined : new WireAdapter(client)
  const seamFilter = isOneMessage ? new SeamFilter() : undefined
  const steeredEnd = wire !== undefined && until === 'parked' ? new SteeredEnd() : undefined
  const steeredFilter = wire === undefined && log !== undefined ? new SteeredFilter() : undefined
  for await (const lines of batches) {
    let text = ''
    for (const line of lines) {
      if (line === 'taken back') {
        yield text + encodeSse(takenBack)
        return false
      }
      const { o, chunk } = line
      if (steeredEnd?.take(chunk, o >= from) === 'later') continue
      if (steeredEnd?.end !== undefined) {
        yield text + steeredEnd.end
        return 'steered'
      }
      const isParked = toEnding(chunk) === 'parked' && until === 'parked' && o >= from
      const isEnd = isParked && (!isOneMessage || (await isParkedAt(o)))
      if (steeredFilter?.leavesOut(chunk) === true) continue
      if (seamFilter?.keeps(chunk, isEnd) !== false) text += encode(line, wire, o >= from)
      if (isEnd) {
        yield text
        return true
      }
    }
    yield text
  }
  return hasEnded()
}

/** Where a stock client's stream ends because a user joined in. */
class SteeredEnd {
  #messageId: string | undefined
  #joined: Extract<Chunk, { type: 'user-message' }> | undefined
  /** The events that end the stream, once it ends. */
  end: string | undefined

  /**
   * `later`: the chunk isn't for this stream, which ends with the next step. The document has the user's message by
   * then, so a client that loads the conversation finds it there.
   */
  take(chunk: Chunk, isShown: boolean): 'later' | undefined {
    if (chunk.type === 'user-message' && isShown) this.#joined ??= chunk
    if (this.#joined === undefined) {
      if (chunk.type === 'start') this.#messageId = chunk.messageId
      return undefined
    }
    if (chunk.type !== 'start-step' && toEnding(chunk) === undefined) return 'later'
    const chunks = endBeforeUserMessage(this.#joined, this.#messageId)
    this.end = chunks.map(one => encodeSse(one)).join('')
    return undefined
  }
}

/** Ends a stream whose client has parts that were taken back. Without `finish`, because the run continues. */
const takenBack: Chunk = {
  type: 'error',
  errorText:
    'This answer was interrupted and is being written again. Resume the stream or reload the conversation to see it.',
}

function encode({ o, chunk, json }: FeedLine, wire: WireAdapter | undefined, isShown: boolean): string {
  if (wire === undefined) return isShown ? `id: ${o}\ndata: ${json}\n\n` : ''
  const out: Chunk[] = wire.push(chunk)
  if (!isShown) return ''
  return out.map((one, index) => encodeSse(one, index === out.length - 1 ? o : undefined)).join('')
}
