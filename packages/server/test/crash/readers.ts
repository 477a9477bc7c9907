import { type Chunk, decodeSse } from '@argot/core'
import type { ServerLives } from './server-process.ts'

/** A number from 0 to 1. */
export type Random = () => number

/** Servers of which one can be asked. One that is away for a moment says 503. */
export type Lives = Pick<ServerLives, 'url' | 'isOver'>

export interface ReadLine {
  o: number
  chunk: Chunk
}

/** A connection that the reader gives up after so many events, or that the server gives up. */
async function* connect(
  lives: Lives,
  path: string,
  headers: Readonly<Record<string, string>>,
  cut: number,
): AsyncGenerator<Uint8Array, Response | undefined> {
  const leave = new AbortController()
  try {
    const response = await fetch(`${await lives.url()}${path}`, { headers, signal: leave.signal })
    if (response.status === 503) throw new Error(await response.text())
    if (response.status >= 400) throw new Refused(`${path}: ${response.status} ${await response.text()}`)
    if (response.status === 204) return response
    let count = 0
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      yield bytes
      if (++count >= cut) return response
    }
    return response
  } catch (error) {
    if (error instanceof Refused || lives.isOver) throw error
    await new Promise(resolve => setTimeout(resolve, 5))
    return undefined
  } finally {
    leave.abort()
  }
}

class Refused extends Error {}

function someCut(random: Random): number {
  return random() < 0.5 ? 1 + Math.floor(random() * 8) : Number.POSITIVE_INFINITY
}

/** Reads a run as our own clients do: after a cut it continues after the last event that it has seen. */
export async function readBySse(lives: Lives, run: string, random: Random): Promise<ReadLine[]> {
  const lines: ReadLine[] = []
  for (;;) {
    const last = lines.at(-1)
    const headers = { 'x-argot-chunks': '1', ...(last !== undefined && { 'last-event-id': String(last.o) }) }
    const decoder = decodeSse()
    for await (const bytes of connect(lives, `/api/runs/${run}/stream`, headers, someCut(random))) {
      for (const { id, chunk } of decoder.push(bytes)) lines.push({ o: Number(id), chunk: chunk as Chunk })
    }
    if (decoder.done) return lines
  }
}

export interface Replay {
  run: string
  chunks: Chunk[]
  isDone: boolean
}

/** Reads what a chat writes as a stock client does when its page is loaded again: from the start of the message, each time. */
export async function readReplays(
  lives: Lives,
  chat: string,
  random: Random,
  isOver: () => boolean,
): Promise<Replay[]> {
  const replays: Replay[] = []
  while (!isOver() && !lives.isOver) {
    const leave = new AbortController()
    const replay: Replay = { run: '', chunks: [], isDone: false }
    const decoder = decodeSse()
    try {
      const response = await fetch(`${await lives.url()}/api/chat/${chat}/stream`, { signal: leave.signal })
      if (response.status !== 200) {
        await response.body?.cancel()
        await new Promise(resolve => setTimeout(resolve, 20))
        continue
      }
      replay.run = response.headers.get('x-argot-run-id') ?? ''
      let cut = someCut(random)
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        for (const { chunk } of decoder.push(bytes)) replay.chunks.push(chunk as Chunk)
        if (--cut <= 0) break
      }
    } catch {
      await new Promise(resolve => setTimeout(resolve, 5))
    } finally {
      leave.abort()
    }
    replay.isDone = decoder.done
    if (replay.run !== '') replays.push(replay)
  }
  return replays
}

/** Reads runs through the one stream of a browser, which continues by the offsets that its last event names. */
export async function readByEvents(
  lives: Lives,
  runs: readonly string[],
  random: Random,
): Promise<Map<string, ReadLine[]>> {
  const read = new Map<string, ReadLine[]>(runs.map(run => [run, []]))
  const over = new Set<string>()
  let last = ''
  while (over.size < runs.length) {
    const path = `/api/events?runs=${runs.map(run => `${run}@0`).join(',')}`
    let rest = ''
    const utf8 = new TextDecoder()
    for await (const bytes of connect(lives, path, last === '' ? {} : { 'last-event-id': last }, someCut(random))) {
      const events = (rest + utf8.decode(bytes, { stream: true })).split('\n\n')
      rest = events.pop()!
      for (const event of events) {
        const fields = new Map(
          event.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        )
        last = fields.get('id') ?? last
        if (fields.get('event') !== 'chunk') continue
        const { run, o, chunk } = JSON.parse(fields.get('data')!) as ReadLine & { run: string }
        read.get(run)!.push({ o, chunk })
        if (chunk.type === 'abort' || (chunk.type === 'finish' && chunk.finishReason !== 'tool-calls')) over.add(run)
      }
      if (over.size === runs.length) break
    }
  }
  return read
}

/** Reads a run by the protocol of Durable Streams: asks again at the offset that the last answer named, until it is closed. */
export async function readByDurableStreams(lives: Lives, run: string): Promise<ReadLine[]> {
  const lines: ReadLine[] = []
  let offset = '-1'
  for (;;) {
    const path = `/api/runs/${run}/log?offset=${offset}${offset === '-1' ? '' : '&live=long-poll'}`
    try {
      const response = await fetch(`${await lives.url()}${path}`)
      if (response.status === 503) throw new Error(await response.text())
      if (response.status >= 400) throw new Refused(`${path}: ${response.status} ${await response.text()}`)
      const text = await response.text()
      const next = response.headers.get('stream-next-offset')
      if (text !== '') lines.push(...(JSON.parse(text) as ReadLine[]).map(({ o, chunk }) => ({ o, chunk })))
      offset = next ?? offset
      if (response.headers.get('stream-closed') === 'true') return lines
    } catch (error) {
      if (error instanceof Refused || lives.isOver) throw error
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
}
