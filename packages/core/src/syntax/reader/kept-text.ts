import { lastAtMost } from '../../source/last-at-most.ts'

/** Pieces are joined into blocks of about this many characters. */
const BLOCK = 2048

/**
 * Text that is appended piece by piece and read rarely. Both are linear: pieces gather in a string that is flattened
 * once per block, never once per piece.
 */
export class KeptText {
  length = 0
  readonly #blocks: string[] = []
  readonly #starts: number[] = []
  #recent = ''

  append(text: string): void {
    this.#recent += text
    this.length += text.length
    if (this.#recent.length < BLOCK) return
    this.#recent.charCodeAt(0) // makes V8 flatten the concatenated string
    this.#starts.push(this.length - this.#recent.length)
    this.#blocks.push(this.#recent)
    this.#recent = ''
  }

  clear(): void {
    if (this.length === 0) return
    this.length = 0
    this.#recent = ''
    this.#blocks.length = 0
    this.#starts.length = 0
  }

  /** The characters from `start` to `end`. The cost doesn't depend on the text before them. */
  slice(start: number, end: number): string {
    const recentStart = this.length - this.#recent.length
    if (start >= recentStart) return this.#recent.slice(start - recentStart, end - recentStart)
    const parts: string[] = []
    for (let i = lastAtMost(this.#starts, start); i < this.#blocks.length; i++) {
      const block = this.#blocks[i] ?? ''
      const before = this.#starts[i] ?? 0
      if (before >= end) break
      const whole = start <= before && end >= before + block.length
      parts.push(whole ? block : block.slice(Math.max(0, start - before), end - before))
    }
    if (end > recentStart) parts.push(this.#recent.slice(0, end - recentStart))
    return parts.join('')
  }

  /** Removes and returns the characters from `start` on. The cost doesn't depend on the text before them. */
  cut(start: number): string {
    const rest = this.slice(start, this.length)
    while (this.length - this.#recent.length > start) {
      this.length -= this.#recent.length
      this.#recent = this.#blocks.pop() ?? ''
      this.#starts.pop()
    }
    this.#recent = this.#recent.slice(0, this.#recent.length - (this.length - start))
    this.length = start
    return rest
  }

  toString(): string {
    return this.#blocks.length === 0 ? this.#recent : this.#blocks.join('') + this.#recent
  }
}
