import type { ChatDraftAttachment } from '../../types/index.ts'
import { Value } from '../topic.ts'

export interface QueuedMessage {
  id: string
  text: string
  attachments?: readonly ChatDraftAttachment[] | undefined
}

/** The storage for a queue across reloads; `sessionStorage` has these methods. */
export interface QueueStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The waiting messages, oldest first. Attachments do not survive a reload; texts do if there is a key. */
export class SendQueue extends Value<readonly QueuedMessage[]> {
  readonly #key: string | undefined
  readonly #storage: QueueStorage | undefined
  /** The message that a person is editing, and whether its turn came meanwhile. */
  #editedId: string | undefined
  #isDue = false

  constructor(key: string | undefined, storage: QueueStorage | undefined = pageStorage()) {
    super(readStored(key, storage))
    this.#key = key
    this.#storage = storage
  }

  add(message: QueuedMessage): void {
    this.set([...this.get(), message])
  }

  edit(id: string, text: string): void {
    this.set(this.get().map(one => (one.id === id ? { ...one, text } : one)))
  }

  /** Holds a message, and those after it, in the queue while a person edits it. */
  hold(id: string): void {
    this.#editedId = id
  }

  /** The editing is over: a message without text and files is removed. True if its turn came meanwhile. */
  release(id: string): boolean {
    if (this.#editedId !== id) return false
    this.#editedId = undefined
    const isDue = this.#isDue
    this.#isDue = false
    const message = this.get().find(one => one.id === id)
    if (message !== undefined && message.text.trim() === '' && !message.attachments?.length) this.take(id)
    return isDue
  }

  /** Removes and returns the oldest message, unless a person is editing it. */
  takeNext(): QueuedMessage | undefined {
    const next = this.get()[0]?.id
    this.#isDue = next !== undefined && next === this.#editedId
    return next === undefined || this.#isDue ? undefined : this.take(next)
  }

  take(id: string): QueuedMessage | undefined {
    const entry = this.get().find(one => one.id === id)
    if (entry !== undefined) this.set(this.get().filter(one => one !== entry))
    return entry
  }

  override set(messages: readonly QueuedMessage[]): void {
    super.set(messages)
    if (this.#key === undefined) return
    try {
      if (messages.length === 0) this.#storage?.removeItem(this.#key)
      else this.#storage?.setItem(this.#key, JSON.stringify(messages.map(({ id, text }) => ({ id, text }))))
    } catch {
      // If the storage is full or forbidden, the message only won't survive a reload.
    }
  }
}

export function pageStorage(): QueueStorage | undefined {
  try {
    return typeof sessionStorage === 'undefined' ? undefined : sessionStorage
  } catch {
    return undefined
  }
}

function readStored(key: string | undefined, storage: QueueStorage | undefined): readonly QueuedMessage[] {
  if (key === undefined) return []
  try {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? '[]')
    return Array.isArray(value) ? value.filter(isQueued) : []
  } catch {
    return []
  }
}

function isQueued(value: unknown): value is QueuedMessage {
  const { id, text } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof text === 'string'
}
