/**
 * A text that only grows. It is kept in sealed blocks and a short tail, so that what is new since any length is found
 * without touching the rest, and thousands of small pieces do not stay in memory.
 */
export class GrowingText {
  /** What was sealed, in flat strings. */
  readonly #blocks: string[] = []
  /** The blocks as one string, which V8 joins when somebody reads it. */
  #sealed = ''
  #tail: string
  /** The newest piece, which most readers ask for. */
  #last = ''

  constructor(text = '') {
    this.#tail = text
    this.#sealLongTail()
  }

  get length(): number {
    return this.#sealed.length + this.#tail.length
  }

  /** All of it. O(1): V8 joins the pieces when somebody reads the characters. */
  get text(): string {
    return this.#sealed + this.#tail
  }

  append(piece: string): void {
    if (piece === '') return
    this.#tail += piece
    this.#last = piece
    this.#sealLongTail()
  }

  /** What was appended after the first `length` UTF-16 units; costs in proportion to that. */
  since(length: number): string {
    if (length === this.length - this.#last.length) return this.#last
    let start = this.#sealed.length
    if (length >= start) return this.#tail.slice(length - start)
    let text = this.#tail
    for (let index = this.#blocks.length - 1; start > length; index--) {
      const block = this.#blocks[index]!
      start -= block.length
      text = (start >= length ? block : block.slice(length - start)) + text
    }
    return text
  }

  #sealLongTail(): void {
    if (this.#tail.length < BLOCK_LENGTH) return
    flatten(this.#tail)
    this.#blocks.push(this.#tail)
    this.#sealed += this.#tail
    this.#tail = ''
  }
}

/** UTF-16 units after which the tail is sealed. */
const BLOCK_LENGTH = 4096

/**
 * Makes V8 join the pieces of a string, which it keeps apart until somebody asks for a character. The pieces then
 * need no memory of their own.
 */
export function flatten(text: string): void {
  asked = text.charCodeAt(0)
}

/** Kept so that asking is not optimised away. */
export let asked = 0
