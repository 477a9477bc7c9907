import type { Chunk } from '@argot/core'
import type { ServerEvents } from '@argot/server/api'
import { electLeader } from './elect-leader.ts'
import { readServerEvents, type ServerEvent } from './server-events.ts'

/** A run's chunk, with its offset in the log. */
export interface ServerRunLine {
  run: string
  o: number
  chunk: Chunk
}

interface Follower {
  run: string
  next: number
  take: (line: ServerRunLine) => void
  lost: (error: Error) => void
}

type TabMessage =
  /** Everything that a tab follows; `come` is what it has just started to follow. */
  | { type: 'want'; tab: string; runs: [run: string, from: number][]; come?: string | undefined }
  | { type: 'who' }
  | { type: 'again' }
  | { type: 'event'; event: ServerEvent }
  | { type: 'lost' }

/** How long to wait after a lost connection, and to collect subscriptions before opening one, in milliseconds. */
const RETRY_MS = 1000
const GATHER_MS = 10

/**
 * One server event stream for all tabs of a browser, which allows six connections per host. One tab reads it and
 * forwards events to the others. When that tab closes, another one takes over.
 */
export class SharedEvents {
  readonly #ask: (path: string, init: { signal: AbortSignal }) => Promise<Response>
  readonly #tab: string = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`
  readonly #channel: BroadcastChannel | undefined
  readonly #followers: Set<Follower> = new Set()
  readonly #listeners: Set<(event: ServerEvent) => void> = new Set()
  readonly #resign: () => void
  #sharedConnection: SharedConnection | undefined
  #isLeader = false

  constructor(name: string, ask: (path: string, init: { signal: AbortSignal }) => Promise<Response>) {
    this.#ask = ask
    this.#channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(`argot-events ${name}`)
    if (this.#channel !== undefined) this.#channel.onmessage = ({ data }) => this.#receive(data as TabMessage)
    // When the page is left, its subscriptions end.
    if (typeof window !== 'undefined') window.addEventListener('pagehide', this.#leave)
    this.#resign = electLeader(`argot-events ${name}`, () => this.#lead())
  }

  /** A run's lines from an offset on, each once and in order, until the returned function is called. */
  follow(run: string, from: number, take: (line: ServerRunLine) => void, lost: (error: Error) => void): () => void {
    const follower: Follower = { run, next: from, take, lost }
    this.#followers.add(follower)
    this.#want(run)
    return () => {
      if (this.#followers.delete(follower)) this.#want()
    }
  }

  /** Every event except chunks, beginning with the current state, until the returned function is called. */
  listen(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    if (this.#isLeader) this.#sharedConnection?.again()
    else this.#channel?.postMessage({ type: 'again' } satisfies TabMessage)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  close(): void {
    if (typeof window !== 'undefined') window.removeEventListener('pagehide', this.#leave)
    this.#sharedConnection?.close()
    this.#resign()
    this.#channel?.close()
  }

  readonly #leave = (): void => {
    if (!this.#isLeader) this.#channel?.postMessage({ type: 'want', tab: this.#tab, runs: [] } satisfies TabMessage)
  }

  #lead(): void {
    this.#isLeader = true
    const broadcast = (message: TabMessage): void => {
      this.#channel?.postMessage(message)
      this.#receive(message)
    }
    this.#sharedConnection = new SharedConnection(this.#ask, {
      event: event => broadcast({ type: 'event', event }),
      lost: () => broadcast({ type: 'lost' }),
    })
    this.#channel?.postMessage({ type: 'who' } satisfies TabMessage)
    this.#want()
  }

  #want(come?: string): void {
    const places = new Map<string, number>()
    for (const { run, next } of this.#followers) places.set(run, Math.min(places.get(run) ?? next, next))
    const runs = [...places]
    if (this.#isLeader) this.#sharedConnection?.want(this.#tab, runs, come)
    else this.#channel?.postMessage({ type: 'want', tab: this.#tab, runs, come } satisfies TabMessage)
  }

  #receive(message: TabMessage): void {
    switch (message.type) {
      case 'want':
        this.#sharedConnection?.want(message.tab, message.runs, message.come)
        return
      case 'who':
        return this.#want()
      case 'again':
        return this.#sharedConnection?.again()
      case 'lost':
        return this.#lost()
      case 'event':
        return this.#take(message.event)
      default:
    }
  }

  /** Followers of a run subscribe again, each from its own offset. */
  #lost(): void {
    const followers = [...this.#followers]
    this.#followers.clear()
    for (const { lost } of followers) lost(new Error('The connection was lost.'))
    for (const listener of this.#listeners) listener({ name: 'lost', data: undefined })
  }

  #take(event: ServerEvent): void {
    if (event.name !== 'chunk') {
      for (const listener of this.#listeners) listener(event)
      return
    }
    const line: ServerRunLine = event.data as ServerEvents['chunk']
    for (const follower of [...this.#followers]) {
      if (follower.run !== line.run || line.o < follower.next) continue
      follower.next = line.o + 1
      follower.take(line)
    }
  }
}

interface SharedConnectionOptions {
  event: (event: ServerEvent) => void
  lost: () => void
}

/** The one connection. It requests every run that a tab follows, from the lowest offset any of the tabs needs. */
class SharedConnection {
  readonly #ask: (path: string, init: { signal: AbortSignal }) => Promise<Response>
  readonly #options: SharedConnectionOptions
  readonly #wants: Map<string, Map<string, number>> = new Map()
  /** By run. */
  #nextOffsets: Map<string, number> = new Map()
  #connection: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(
    ask: (path: string, init: { signal: AbortSignal }) => Promise<Response>,
    options: SharedConnectionOptions,
  ) {
    this.#ask = ask
    this.#options = options
    this.#open(GATHER_MS)
  }

  want(tab: string, runs: readonly [run: string, from: number][], come?: string): void {
    const before = this.#wants.get(tab) ?? new Map<string, number>()
    this.#wants.set(tab, new Map(runs))
    // An earlier follower of a run can only be ahead, and lines may be on their way to it.
    const news = runs.filter(([run]) => !before.has(run) || run === come)
    const isNews = news.some(([run, from]) => !(this.#at(run) <= from))
    for (const [run, from] of news) this.#nextOffsets.set(run, Math.min(this.#at(run), from))
    if (isNews) this.#open(GATHER_MS)
  }

  again(): void {
    this.#open(GATHER_MS)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connection?.abort()
  }

  #at(run: string): number {
    return this.#nextOffsets.get(run) ?? Number.POSITIVE_INFINITY
  }

  #open(delay: number): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#read(), delay)
  }

  async #read(): Promise<void> {
    this.#connection?.abort()
    const connection = new AbortController()
    this.#connection = connection
    const runIds = new Set([...this.#wants.values()].flatMap(runs => [...runs.keys()]))
    this.#nextOffsets = new Map([...this.#nextOffsets].filter(([run]) => runIds.has(run)))
    const runs = Array.from(this.#nextOffsets, ([run, from]) => `${encodeURIComponent(run)}@${from}`).join(',')
    try {
      const response = await this.#ask(`events?runs=${encodeURIComponent(runs)}`, { signal: connection.signal })
      for await (const event of readServerEvents(response)) {
        if (this.#connection !== connection) return
        this.#note(event)
        this.#options.event(event)
      }
    } catch {
      // It reconnects, as after a normal end.
    }
    if (this.#connection !== connection || this.#isClosed) return
    this.#wants.clear()
    this.#nextOffsets.clear()
    this.#options.lost()
    this.#open(RETRY_MS)
  }

  #note({ name, data }: ServerEvent): void {
    if (name !== 'chunk') return
    const { run, o } = data as ServerEvents['chunk']
    this.#nextOffsets.set(run, o + 1)
  }
}
