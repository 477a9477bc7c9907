/** What a client was given of the message that a run writes. */
export interface ServedHistory {
  run: string
  /** Up to which offset of the run the client has it; 0 where the message was left out. */
  offset: number
  /** The message that was left out. */
  messageId?: string | undefined
}

/** How long a page may take between its history and its stream, in milliseconds. */
const KEPT_MS = 60_000
const MOST = 1000

/**
 * The history that each client was given last of a document whose run was not over. A stock client asks for its history,
 * then for the stream, and says in neither what it has: between the two a run may end, wait, or be answered.
 */
export class ServedHistories {
  readonly #now: () => number
  readonly #served: Map<string, ServedHistory & { at: number }> = new Map()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Undefined: the client has every message, and no run works on one. */
  set(client: string, document: string, history: ServedHistory | undefined): void {
    const key = toKey(client, document)
    this.#served.delete(key)
    if (history === undefined) return
    this.#served.set(key, { ...history, at: this.#now() })
    if (this.#served.size > MOST) this.#served.delete(this.#served.keys().next().value!)
  }

  /** What the client has, for the stream that follows its history. Each history is followed by one stream. */
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
