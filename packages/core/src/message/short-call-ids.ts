import { isToolPart, type Message } from './message.ts'

/** The number of a short id (`c12`): 0 for any other id. */
export function callNumber(id: string): number {
  const number = /^c([1-9][0-9]{0,8})$/.exec(id)?.[1]
  return number === undefined ? 0 : Number(number)
}

/** The highest number of a call in these messages. */
export function lastCallNumber(messages: Iterable<Pick<Message, 'parts'>>): number {
  let last = 0
  for (const { parts } of messages) {
    for (const part of parts) if (isToolPart(part)) last = Math.max(last, callNumber(part.toolInvocation.toolCallId))
  }
  return last
}

/** Gives calls their ids: `c1`, `c2`, …, above every number that was used before. */
export class ShortCallIds {
  #last: number
  /** Ids that no call has yet. */
  readonly #free: Set<string> = new Set()

  constructor(last = 0) {
    this.#last = last
  }

  next(): string {
    const id = `c${++this.#last}`
    this.#free.add(id)
    return id
  }

  /** True for an id of `next` that no call had until now. */
  isFree(id: string): boolean {
    return this.#free.has(id)
  }

  /** The id of a call that came under this one: the same if it is free, else a new one. */
  take(id: string): string {
    const own = this.#free.has(id) ? id : this.next()
    this.#free.delete(own)
    return own
  }
}
