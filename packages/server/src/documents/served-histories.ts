/** What a client received of the message that a run is writing. */
export interface ServedHistory {
  run: string
  /** The run's offset up to which the client has the message. 0 if the message was left out. */
  offset: number
  /** The message that was left out. */
  messageId?: string | undefined
}

/** How long a page may take between its history and its stream, in milliseconds. */
const KEPT_MS = 60_000
const MOST_HISTORIES = 1000

/**
 * The last history that each client got of a document with an unfinished run. A stock client requests its history and
 * then the stream, and says in neither what it has. Between the two a run may end, wait, or be answered.
 */
export class ServedHistories {
  readonly #now: () => number
  readonly #served: Map<string, ServedHistory & { at: number }> = new Map()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Undefined: the client has every message, and no run is working on one. */
  set(client: string, document: string, history: ServedHistory | undefined): void {
    const key = toKey(client, document)
    this.#served.delete(key)
    if (history === undefined) return
    this.#served.set(key, { ...history, at: this.#now() })
    if (this.#served.size > MOST_HISTORIES) this.#served.delete(this.#served.keys().next().value!)
  }

  /** The client's history, for the stream that follows. Each history is followed by one stream. */
  take(client: string, document: string): ServedHistory | undefined {
    const key = toKey(client, document)
    const history = this.#served.get(key)
    this.#served.delete(key)
    return history !== undefined && Math.abs(this.#now() - history.at) <= KEPT_MS ? history : undefined
  }
}

function toKey(client: string, document: string): string {
  return JSON.stringify([client, document])
}
