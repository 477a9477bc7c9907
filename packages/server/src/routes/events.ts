import { setMaxListeners } from 'node:events'
import type { ServerEvents } from '../api/index.ts'
import { Problem } from '../guard/problem.ts'
import type { ChangeReader, ServerChange } from '../runs/feed/changes.ts'
import type { FeedLine } from '../runs/live/run-feed.ts'
import { eventStream } from './event-stream.ts'
import { parseOffset } from './read-from.ts'
import type { Route, RouteInput } from './route.ts'
import type { ServerContext } from './server-context.ts'

const MOST_RUNS = 50

/** The requested runs with the offset at which each continues: `a@12,b@0`. */
function readVector(text: string): Map<string, number> {
  const vector = new Map<string, number>()
  for (const one of text.split(',').filter(part => part !== '')) {
    const at = one.lastIndexOf('@')
    const run = at <= 0 ? undefined : tryDecode(one.slice(0, at))
    if (run === undefined)
      throw new Problem(400, 'SERVER_BAD_OFFSET', 'Name runs as `RUN@OFFSET`, separated by commas.')
    vector.set(run, parseOffset(one.slice(at + 1)))
  }
  if (vector.size > MOST_RUNS)
    throw new Problem(400, 'SERVER_BAD_BODY', `At most ${MOST_RUNS} runs can be followed in one stream.`)
  return vector
}

function tryDecode(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

function writeVector(vector: ReadonlyMap<string, number>): string {
  return Array.from(vector, ([run, offset]) => `${encodeURIComponent(run)}@${offset}`).join(',')
}

interface Batch {
  run: string
  lines: readonly FeedLine[]
  /** Called once it is on its way, so the next one may come. */
  onTaken(): void
}

class BrowserEvents {
  readonly #server: ServerContext
  readonly #vector: Map<string, number>
  readonly #signal: AbortSignal
  readonly #changes: ChangeReader
  readonly #lines: Batch[] = []
  #wake: (() => void) | undefined
  #isLost = false

  constructor(server: ServerContext, vector: Map<string, number>, signal: AbortSignal) {
    this.#server = server
    this.#vector = vector
    this.#signal = signal
    this.#changes = server.changes.follow(signal)
    for (const [run, from] of vector) void this.#follow(run, from)
    signal.addEventListener('abort', () => {
      this.#wake?.()
      for (const { onTaken } of this.#lines) onTaken()
    })
  }

  async *texts(): AsyncGenerator<string> {
    // The current state comes first: a returning client has missed changes, never a state.
    for (const run of await this.#server.runs.list({ isOpen: true })) yield this.#event('run', run)
    yield this.#event('ready', {})
    while (!this.#signal.aborted) {
      const next = this.#lines.shift()
      if (next !== undefined) {
        yield this.#chunks(next)
        next.onTaken()
        continue
      }
      const changes = this.#changes.take()
      for (const change of changes) yield await this.#change(change)
      if (this.#isLost) return
      if (changes.length === 0) await this.#next()
    }
  }

  /**
   * One batch per run at a time. What a slow reader hasn't taken yet stays in the log. If a log is lost, so is the
   * stream: the client asks again, and learns what became of the run.
   */
  async #follow(run: string, from: number): Promise<void> {
    try {
      const batches = this.#server.runs.read(run, from, this.#signal)
      let next = await batches.next()
      for (; next.done !== true; next = await batches.next()) {
        const lines = next.value
        await new Promise<void>(onTaken => {
          this.#lines.push({ run, lines, onTaken })
          this.#wake?.()
        })
      }
      if (next.value !== 'lost') return
      this.#isLost = true
      this.#wake?.()
    } catch {
      // The run can't be read. Its state says so.
    }
  }

  #chunks({ run, lines }: Batch): string {
    let text = ''
    const name = JSON.stringify(run)
    for (const { o, t, json } of lines) {
      this.#vector.set(run, o + 1)
      text += `id: ${writeVector(this.#vector)}\nevent: chunk\ndata: {"run":${name},"o":${o},"t":${t},"chunk":${json}}\n\n`
    }
    return text
  }

  async #change(change: ServerChange): Promise<string> {
    if (change.type === 'run') {
      const run = await this.#server.runs.find(change.run).catch(() => undefined)
      return run === undefined ? '' : this.#event('run', run)
    }
    const entry = await this.#server.documents.entry(change.path).catch(() => undefined)
    return this.#event('document', entry ?? { path: change.path, state: 'gone' })
  }

  #event<Name extends keyof ServerEvents>(name: Name, data: ServerEvents[Name]): string {
    return `id: ${writeVector(this.#vector)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
      if (this.#signal.aborted || this.#isLost || this.#lines.length > 0) return this.#wake()
      this.#changes.onNext(() => this.#wake?.())
    })
  }
}

function openEvents({ request, query, server, client }: RouteInput): Response {
  const last = request.headers.get('last-event-id')
  const vector = readVector(last !== null && last !== '' ? last : (query.runs ?? ''))
  for (const run of readVector(query.runs ?? '').keys()) if (!vector.has(run)) vector.set(run, 0)
  const releaseStream = server.streams.open(client, [...vector.keys()])
  const signal = new AbortController()
  // Each run that this browser follows adds a listener.
  setMaxListeners(0, signal.signal)
  const stop = (): void => signal.abort()
  const unsubscribe = server.whenClosing(stop)
  return eventStream(new BrowserEvents(server, vector, signal.signal).texts(), {
    signal,
    onEnd: () => {
      unsubscribe()
      releaseStream()
    },
  })
}

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/events',
    id: 'followEvents',
    summary:
      'Everything that a browser follows, in one stream: changed documents, run states, and the chunks of the named runs.',
    query: {
      runs: { description: 'Runs, each with the offset to continue at: `a@12,b@0`.', schema: { type: 'string' } },
    },
    headers: { 'last-event-id': { description: "The offsets, from the last event's id." } },
    answers: { 200: { description: 'Events `run`, `document` and `chunk`.', type: 'text/event-stream' } },
    handle: openEvents,
  },
]
