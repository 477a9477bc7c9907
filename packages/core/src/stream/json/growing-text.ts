/**
 * Stored in sealed blocks and a short tail. So the text since any length is found without touching the rest, and
 * thousands of small pieces don't stay in memory.
 */
export class GrowingText {
  readonly #blocks: string[] = []
  /** The blocks as one string, which V8 joins when it is read. */
  #sealed = ''
  #tail: string
  /** Most readers want only this one. */
  #newestPiece = ''

  constructor(text = '') {
    this.#tail = text
    this.#sealLongTail()
  }

  get length(): number {
    return this.#sealed.length + this.#tail.length
  }

  /** O(1): V8 joins the pieces when the characters are read. */
  get text(): string {
    return this.#sealed + this.#tail
  }

  append(piece: string): void {
    if (piece === '') return
    this.#tail += piece
    this.#newestPiece = piece
    this.#sealLongTail()
  }

  /** The text after the first `length` UTF-16 units. Costs in proportion to its length. */
  since(length: number): string {
    if (length === this.length - this.#newestPiece.length) return this.#newestPiece
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

const BLOCK_LENGTH = 4096

/**
 * Makes V8 join the pieces of a string, which it keeps apart until a character is read. The pieces then take no extra
 * memory.
 */
export function flatten(text: string): void {
  firstCode = text.charCodeAt(0)
}

/** Stored so that the read is not optimised away. */
export let firstCode = 0
