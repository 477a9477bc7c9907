import { endsRun } from '@argot/agent/internal'
import { Problem } from '../guard/problem.ts'
import { findTail, type LogTail } from '../runs/live/log-tail.ts'
import type { FeedLine } from '../runs/live/run-feed.ts'
import { eventStream } from './event-stream.ts'
import type { Route, RouteInput } from './route.ts'
import { list, outline } from './schema.ts'
import * as schemas from './schemas.ts'

/** The read half of the Durable Streams protocol over a run's log: JSON, one message per log line. */

const OFFSET_DIGITS = 16
/** The maximum size of one answer, in characters. */
const LONGEST_ANSWER = 4 * 1024 * 1024
const LONG_POLL_MS = 20_000
/** Connections are closed regularly, so that a proxy can combine readers. */
const SSE_MS = 60_000
const CURSOR_MS = 20_000
const CURSOR_EPOCH = Date.UTC(2024, 9, 9)
const CURSOR_JITTER = 180

/** Offsets sort as text. */
function writeOffset(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, '0')
}

function readOffset(text: string, tail: number): number {
  if (text === '-1') return 0
  if (text === 'now') return tail
  const offset = Number(text)
  if (/^\d{16}$/.test(text) && Number.isSafeInteger(offset)) return offset
  throw new Problem(400, 'SERVER_BAD_OFFSET', "An offset must be `-1`, `now`, or a response's `Stream-Next-Offset`.")
}

/** The current time interval, but always later than the client's. */
function nextCursor(previous: string | undefined): string {
  const now = Math.max(0, Math.floor((Date.now() - CURSOR_EPOCH) / CURSOR_MS))
  const last = previous !== undefined && /^\d{1,15}$/.test(previous) ? Number(previous) : -1
  return String(last < now ? now : last + 1 + Math.floor(Math.random() * CURSOR_JITTER))
}

function toMessage({ o, t, json }: FeedLine): string {
  return `{"o":${o},"t":${t},"chunk":${json}}`
}

interface LogPosition {
  next: number
  isUpToDate: boolean
  isClosed: boolean
}

function toHeaders({ next, isUpToDate, isClosed }: LogPosition, cursor?: string): Record<string, string> {
  return {
    'stream-next-offset': writeOffset(next),
    ...(isUpToDate && { 'stream-up-to-date': 'true' }),
    ...(isUpToDate && isClosed && { 'stream-closed': 'true' }),
    ...(cursor !== undefined && { 'stream-cursor': cursor }),
  }
}

async function read(input: RouteInput): Promise<Response> {
  const { query, params, request, server } = input
  const { live, offset } = query
  const run = params.id!
  const tail = await findTail(server, run)
  if (request.method === 'HEAD') return head(tail)
  if (live !== undefined && offset === undefined) {
    throw new Problem(
      400,
      'SERVER_BAD_OFFSET',
      'A live reader must pass an offset: `offset=-1` starts at the beginning.',
    )
  }
  const from = readOffset(offset ?? '-1', tail.next)
  if (live === 'sse') return stream(input, run, from, tail)
  return live === 'long-poll' ? poll(input, run, from, tail) : catchUp(input, run, from, tail)
}

function head({ next, isOver }: LogTail): Response {
  const headers = toHeaders({ next, isUpToDate: true, isClosed: isOver })
  // A tail reports only the end, not whether it is up to date.
  delete headers['stream-up-to-date']
  return new Response(null, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}

async function catchUp({ request, query, server }: RouteInput, run: string, from: number, tail: LogTail) {
  const { lines, ...position } = await take(server.runs.read(run, from, server.closing), from, tail)
  if (query.offset === 'now') return answer(lines, position, { 'cache-control': 'no-store' })
  const isEnd = position.isUpToDate && position.isClosed
  const etag = `"${encodeURIComponent(run)}:${writeOffset(from)}:${writeOffset(position.next)}${isEnd ? ':closed' : ''}"`
  const headers = { etag, 'cache-control': 'private, no-cache', ...toHeaders(position, nextCursor(query.cursor)) }
  const tags = (request.headers.get('if-none-match') ?? '').split(',').map(one => one.trim().replace(/^W\//, ''))
  if (tags.includes(etag)) return new Response(null, { status: 304, headers })
  return answer(lines, position, headers)
}

function answer(lines: readonly FeedLine[], position: LogPosition, headers: Record<string, string>): Response {
  return new Response(`[${lines.map(toMessage).join(',')}]`, {
    headers: { 'content-type': 'application/json', ...toHeaders(position), ...headers },
  })
}

async function take(
  batches: AsyncIterable<readonly FeedLine[]>,
  from: number,
  { next: end, isOver }: LogTail,
): Promise<LogPosition & { lines: FeedLine[] }> {
  const lines: FeedLine[] = []
  let next = from
  let size = 0
  if (from < end) {
    reading: for await (const batch of batches) {
      for (const line of batch) {
        if (line.o >= end || (size > 0 && size + line.json.length > LONGEST_ANSWER)) break reading
        lines.push(line)
        size += line.json.length
        next = line.o + 1
      }
      if (next >= end) break
    }
  }
  return { lines, next, isUpToDate: next >= end, isClosed: isOver }
}

async function poll(input: RouteInput, run: string, from: number, tail: LogTail): Promise<Response> {
  const { query, server, request, client } = input
  if (from < tail.next || tail.isOver) {
    if (from >= tail.next) return nothing(query.cursor, { next: from, isUpToDate: true, isClosed: true })
    return catchUp(input, run, from, tail)
  }
  const releaseStream = server.streams.open(client, [run])
  const leaving = new AbortController()
  const leave = (): void => leaving.abort()
  const unsubscribe = server.whenClosing(leave)
  const timer = setTimeout(leave, LONG_POLL_MS)
  timer.unref()
  request.signal.addEventListener('abort', leave)
  if (request.signal.aborted) leave()
  const { signal } = leaving
  try {
    for await (const lines of server.runs.read(run, from, signal)) {
      if (lines.length === 0) continue
      const last = lines.at(-1)!
      const isClosed = endsRun(last.chunk)
      const position = { next: last.o + 1, isUpToDate: true, isClosed }
      return answer(lines, position, { 'cache-control': 'no-store', 'stream-cursor': nextCursor(query.cursor) })
    }
  } finally {
    clearTimeout(timer)
    unsubscribe()
    request.signal.removeEventListener('abort', leave)
    releaseStream()
  }
  const now = await findTail(server, run)
  return nothing(query.cursor, { next: Math.max(from, now.next), isUpToDate: true, isClosed: now.isOver })
}

function nothing(cursor: string | undefined, position: LogPosition): Response {
  const headers = toHeaders(position, nextCursor(cursor))
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store', ...headers } })
}

function stream({ query, server, client }: RouteInput, run: string, from: number, tail: LogTail): Response {
  const releaseStream = server.streams.open(client, [run])
  const signal = new AbortController()
  const stop = (): void => signal.abort()
  const unsubscribe = server.whenClosing(stop)
  const timer = setTimeout(stop, SSE_MS)
  timer.unref()
  const batches = server.runs.read(run, from, signal.signal)
  return eventStream(events(batches, { from, tail, cursor: query.cursor }), {
    signal,
    onEnd: () => {
      clearTimeout(timer)
      unsubscribe()
      releaseStream()
    },
    headers: { 'stream-cursor': nextCursor(query.cursor) },
  })
}

interface TailOptions {
  from: number
  tail: LogTail
  cursor: string | undefined
}

async function* events(
  batches: AsyncIterable<readonly FeedLine[]>,
  { from, tail, cursor }: TailOptions,
): AsyncGenerator<string> {
  const control = ({ next, isUpToDate, isClosed }: LogPosition): string => {
    const data = {
      streamNextOffset: writeOffset(next),
      streamCursor: nextCursor(cursor),
      ...(isUpToDate && { upToDate: true }),
      ...(isClosed && { streamClosed: true }),
    }
    return `event: control\ndata: ${JSON.stringify(data)}\n\n`
  }
  if (from >= tail.next) {
    yield control({ next: from, isUpToDate: true, isClosed: tail.isOver })
    if (tail.isOver) return
  }
  for await (const lines of batches) {
    if (lines.length === 0) continue
    const last = lines.at(-1)!
    const next = last.o + 1
    const data = `event: data\ndata: [${lines.map(toMessage).join(',')}]\n\n`
    yield data + control({ next, isUpToDate: next >= tail.next, isClosed: endsRun(last.chunk) })
  }
}

const query = {
  offset: { description: "`-1`, `now`, or a response's `Stream-Next-Offset`.", schema: { type: 'string' } },
  live: { description: 'Waits for new lines.', schema: { type: 'string', enum: ['long-poll', 'sse'] } },
  cursor: { description: "The last response's `Stream-Cursor`.", schema: { type: 'string' } },
}
const noRun = { description: 'There is no such run.', schema: schemas.problemSchema }

export const durableLogRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/runs/{id}/log',
    id: 'readLog',
    summary: "A run's log as a stream in the Durable Streams protocol: catch-up, long-poll and server-sent events.",
    query,
    headers: { 'if-none-match': { description: 'The `ETag` of a response to the same request.' } },
    answers: {
      200: { description: 'The lines, `{ o, t, chunk }` each.', schema: list(outline({ type: 'object' })) },
      204: { description: 'Nothing arrived while waiting.' },
      304: { description: 'Nothing is new since that response.' },
      400: { description: 'The offset is invalid.', schema: schemas.problemSchema },
      404: noRun,
    },
    handle: read,
  },
  {
    method: 'HEAD',
    path: '/api/runs/{id}/log',
    id: 'describeLog',
    summary: "Where a run's log currently ends, and whether it is complete.",
    answers: { 200: { description: 'In the headers.' }, 404: { description: 'There is no such run.' } },
    handle: read,
  },
]
