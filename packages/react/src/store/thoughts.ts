import { Topic } from './topic.ts'

interface Thought {
  open?: boolean | undefined
  /** Unknown for reasoning that came with the history. */
  startedAt?: number | undefined
  endedAt?: number | undefined
}

/**
 * Which reasoning is open, and how long it took. It begins closed; once a reader has opened one, the next is open while
 * it streams.
 */
export class Thoughts extends Topic {
  readonly #thoughts: Map<string, Thought> = new Map()
  readonly #now: () => number
  #opensNext = false

  constructor(now: () => number) {
    super()
    this.#now = now
  }

  /** Notes that reasoning streams, or no longer does; reasoning from the history has no time. */
  visit(messageId: string, index: number, isStreaming: boolean): void {
    const key = toKey(messageId, index)
    const thought = this.#thoughts.get(key)
    if (thought === undefined) {
      if (isStreaming) this.#thoughts.set(key, { startedAt: this.#now() })
    } else if (!isStreaming && thought.startedAt !== undefined && thought.endedAt === undefined) {
      thought.endedAt = this.#now()
      // Reasoning that was open while it streamed stays open.
      thought.open ??= this.#opensNext
    }
  }

  isOpen(messageId: string, index: number, isStreaming: boolean): boolean {
    return this.#thoughts.get(toKey(messageId, index))?.open ?? (isStreaming && this.#opensNext)
  }

  setOpen(messageId: string, index: number, open: boolean): void {
    const key = toKey(messageId, index)
    this.#thoughts.set(key, { ...this.#thoughts.get(key), open })
    this.#opensNext = open
    this.notify()
  }

  /** In milliseconds; undefined unless it streamed while this page was watching. */
  getDuration(messageId: string, index: number): number | undefined {
    const { startedAt, endedAt } = this.#thoughts.get(toKey(messageId, index)) ?? {}
    return startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt
  }
}

function toKey(messageId: string, index: number): string {
  return `${messageId}#${index}`
}
