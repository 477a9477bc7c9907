import { randomUUID } from 'node:crypto'
import type { PostgresClient } from './pool.ts'

/** Rings within this time are sent together. */
const GATHER_MS = 5
/** Every waiting process checks again this often, because a dying process doesn't ring. */
const POLL_MS = 1000
const RECONNECT_MS = 250
/** PostgreSQL allows 8,000 bytes per notification. */
const LONGEST_PAYLOAD = 7000

/** What has changed. `work`: a job may be waiting for a worker. */
export type BellTopic = `${'run' | 'post' | 'lease' | 'document' | 'job' | 'work'} ${string}`

export interface BellOptions {
  /** Undefined if no connection can listen: then changes are found by polling. */
  connect: () => Promise<PostgresClient | undefined>
  channel: string
  /** Called with each new connection, before anything waits for it. */
  onConnect: (client: PostgresClient) => Promise<void>
}

/**
 * Notifies the processes of a database about changes. `NOTIFY` locks the whole server until its transaction is on disk,
 * so it is never part of the transaction that it reports. Instead, rings go over the listening connection, a few at a
 * time. A ring may get lost with a connection, so waiting processes also check every second.
 */
export class Bell {
  readonly #options: BellOptions
  readonly #id: string = randomUUID()
  readonly #listeners: Map<string, Set<() => void>> = new Map()
  readonly #topicListeners: Set<(topic: BellTopic | undefined) => void> = new Set()
  readonly #pending: Set<BellTopic> = new Set()
  #client: PostgresClient | undefined
  #work: Promise<unknown> = Promise.resolve()
  #sending: ReturnType<typeof setTimeout> | undefined
  #poll: ReturnType<typeof setInterval> | undefined
  #isOpen = false
  #isClosed = false

  constructor(options: BellOptions) {
    this.#options = options
  }

  /** Listeners in this process hear it now, those in other processes soon. */
  ring(...topics: readonly BellTopic[]): void {
    for (const topic of topics) {
      this.#notify(topic)
      if (!this.#isClosed) this.#pending.add(topic)
    }
    if (this.#isClosed || this.#sending !== undefined) return
    this.open()
    this.#sending = setTimeout(() => this.#send(), GATHER_MS)
  }

  /** Calls `listener` when one of these topics changes, when rings may have been missed, and each second. */
  listen(topics: readonly BellTopic[], listener: () => void): () => void {
    this.open()
    for (const topic of topics) {
      const listeners = this.#listeners.get(topic) ?? new Set()
      this.#listeners.set(topic, listeners.add(listener))
    }
    return () => {
      for (const topic of topics) {
        const listeners = this.#listeners.get(topic)
        listeners?.delete(listener)
        if (listeners?.size === 0) this.#listeners.delete(topic)
      }
    }
  }

  /** Receives every topic; undefined means that some may have been missed. */
  listenToAll(listener: (topic: BellTopic | undefined) => void): () => void {
    this.open()
    this.#topicListeners.add(listener)
    return () => this.#topicListeners.delete(listener)
  }

  /** Runs work on the listening connection, if there is one, after earlier work on it. */
  use(work: (client: PostgresClient) => Promise<unknown>): void {
    const client = this.#client
    if (client === undefined) return
    this.#work = this.#work.then(() => work(client)).catch(() => this.#handleLoss(client))
  }

  open(): void {
    if (this.#isOpen || this.#isClosed) return
    this.#isOpen = true
    void this.#connect()
    this.#poll = setInterval(() => this.#notifyAll(), POLL_MS)
    this.#poll.unref()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#poll)
    clearTimeout(this.#sending)
    this.#client?.release(true)
    this.#client = undefined
    this.#notifyAll()
  }

  async #connect(): Promise<void> {
    let client: PostgresClient | undefined
    try {
      client = await this.#options.connect()
      if (client === undefined) return
      if (this.#isClosed) return client.release(true)
      await this.#prepare(client)
      this.#client = client
      this.#notifyAll()
    } catch {
      // Without a release, it would occupy its place in the pool forever.
      client?.release(true)
      this.#reconnectLater()
    }
  }

  async #prepare(client: PostgresClient): Promise<void> {
    const { channel, onConnect } = this.#options
    client.on('error', () => this.#handleLoss(client))
    client.on('end', () => this.#handleLoss(client))
    client.on('notification', ({ payload = '' }) => this.#receive(payload))
    await client.query({ text: `listen ${channel}` })
    await onConnect(client)
    if (this.#isClosed) throw new Error('The bell was closed while waiting.')
  }

  #handleLoss(client: PostgresClient): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.release(true)
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (!this.#isClosed) setTimeout(() => void this.#connect(), RECONNECT_MS).unref()
  }

  #send(): void {
    this.#sending = undefined
    const topics = [...this.#pending]
    this.#pending.clear()
    const { channel } = this.#options
    // Without a connection, waiting processes check within a second.
    for (const payload of toPayloads(this.#id, topics)) {
      this.use(client => client.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] }))
    }
  }

  #receive(payload: string): void {
    const [from, ...topics] = payload.split('\n')
    if (from === this.#id) return
    for (const topic of topics) topic === '' ? this.#notifyAll() : this.#notify(topic as BellTopic)
  }

  #notify(topic: BellTopic): void {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener()
    for (const listener of this.#topicListeners) listener(topic)
  }

  #notifyAll(): void {
    for (const listener of new Set([...this.#listeners.values()].flatMap(listeners => [...listeners]))) listener()
    for (const listener of this.#topicListeners) listener(undefined)
  }
}

/** A topic that is too long to send wakes everyone. */
function* toPayloads(id: string, topics: readonly BellTopic[]): Generator<string> {
  let payload = id
  for (const topic of topics) {
    const line = Buffer.byteLength(topic) > LONGEST_PAYLOAD / 2 || topic.includes('\n') ? '' : topic
    if (Buffer.byteLength(payload) + Buffer.byteLength(line) > LONGEST_PAYLOAD) {
      yield payload
      payload = id
    }
    payload += `\n${line}`
  }
  if (payload !== id) yield payload
}

/** Can be awaited repeatedly. Rings between two waits aren't missed. */
export class BellAlarm {
  readonly #signal: AbortSignal | undefined
  #hasRung = false
  #wake: (() => void) | undefined

  constructor(signal?: AbortSignal) {
    this.#signal = signal
    signal?.addEventListener('abort', this.ring)
  }

  readonly ring = (): void => {
    this.#hasRung = true
    this.#wake?.()
  }

  /** Call it before you read: later changes end the next wait. */
  reset(): void {
    this.#hasRung = false
  }

  /** Resolves with the next ring since the last reset, and with the signal. */
  async wait(): Promise<void> {
    if (this.#hasRung || this.#signal?.aborted === true) return
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.ring)
  }
}

export class TopicAlarm extends BellAlarm {
  readonly #stop: () => void

  constructor(bell: Bell, topics: readonly BellTopic[], signal?: AbortSignal) {
    super(signal)
    this.#stop = bell.listen(topics, this.ring)
  }

  override close(): void {
    super.close()
    this.#stop()
  }
}
