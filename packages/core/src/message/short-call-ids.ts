import { isToolPart, type Message } from './message.ts'

/** No conversation has more calls. Higher numbers were not assigned by Argot. */
const HIGHEST = 999_999

/** The number of a short id (`c12`); 0 for any other id, including one whose number is too high to be ours. */
export function callNumber(id: string): number {
  const number = /^c([1-9][0-9]{0,5})$/.exec(id)?.[1]
  return number === undefined ? 0 : Number(number)
}

export function lastCallNumber(messages: Iterable<Pick<Message, 'parts'>>): number {
  let last = 0
  for (const { parts } of messages) {
    for (const part of parts) if (isToolPart(part)) last = Math.max(last, callNumber(part.toolInvocation.toolCallId))
  }
  return last
}

/**
 * `c1`, `c2`, …, above every number used before. If a document uses up the numbers, with a call `c999999`, ids are
 * random: no id is used twice, whatever a document contains.
 */
export class ShortCallIds {
  #last: number
  readonly #free: Set<string> = new Set()

  constructor(last = 0) {
    this.#last = last
  }

  next(): string {
    const id = this.#last < HIGHEST ? `c${++this.#last}` : randomId()
    this.#free.add(id)
    return id
  }

  /** True for an id from `next` that no call has used yet. */
  isFree(id: string): boolean {
    return this.#free.has(id)
  }

  take(id: string): string {
    const own = this.#free.has(id) ? id : this.next()
    this.#free.delete(own)
    return own
  }
}

/** Nine letters and digits, which every provider accepts. Without a letter it could be the padded form of a number. */
function randomId(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(8))
    const id = `c${Array.from(bytes, byte => (byte % 32).toString(32)).join('')}`
    if (/[a-v]/.test(id.slice(1))) return id
  }
}
