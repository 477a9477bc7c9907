/**
 * The backtick runs of one line. A run opens a code span if an equal run follows on the same line. Until then it is
 * pending, and the text after it may or may not be code.
 *
 *     `` a ` b ` <tool:x> … ``      all of it is one span: the first run finds its equal
 *     `` a ` b ` <tool:x> …         the first run has no equal, so the second and third make a span
 */
export class CodeSpans {
  /** Offset and length, alternating, of each run since the first pending one. */
  readonly #runs: number[] = []
  /** The spans of a line that was read to its end: offset of the first backtick → offset after the last. */
  #spans = new Map<number, number>()
  #ends = new Set<number>()
  /** Runs before this offset belong to `#spans`. */
  #resolvedEnd = 0
  #lastSpanEnd = -1

  get pending(): boolean {
    return this.#runs.length > 0
  }

  get single(): boolean {
    return this.#runs.length === 2
  }

  /** The length of the pending run, or -1. 0 means `<code>`. */
  get length(): number {
    return this.#runs[1] ?? -1
  }

  /** True if the run that ends at `offset` closed a span. */
  closes(offset: number): boolean {
    return offset === this.#lastSpanEnd || this.#ends.has(offset)
  }

  /** Returns the end of the run's span if already known, otherwise 0. */
  add(offset: number, length: number): number {
    if (offset < this.#resolvedEnd) return this.#spans.get(offset) ?? 0
    if (this.#runs[1] === length) {
      this.clear()
      this.#lastSpanEnd = offset + length
    } else this.#runs.push(offset, length)
    return 0
  }

  /** The line's spans stay known. */
  endLine(): void {
    if (this.#runs.length > 2) this.resolve(this.#resolvedEnd, -1)
    else this.clear()
  }

  /** Nothing is pending any more: the line has ended, a span has closed, or a call was read. */
  clear(): void {
    if (this.#runs.length > 0) this.#runs.length = 0
  }

  /**
   * The line ends at `end` and the pending run has no equal: decides which of the other runs form spans. Returns the
   * end of the span that contains `offset`, or 0.
   */
  resolve(end: number, offset: number): number {
    const runs = this.#runs
    const next = new Int32Array(runs.length / 2)
    const latest = new Map<number, number>()
    for (let i = next.length - 1; i >= 0; i--) {
      const length = runs[2 * i + 1] ?? 0
      next[i] = latest.get(length) ?? 0
      latest.set(length, i)
    }
    this.#spans = new Map()
    this.#ends = new Set()
    let around = 0
    for (let i = 0; i < next.length; i++) {
      const close = next[i] ?? 0
      if (close === 0) continue
      const spanStart = runs[2 * i] ?? 0
      const spanEnd = (runs[2 * close] ?? 0) + (runs[2 * close + 1] ?? 0)
      this.#spans.set(spanStart, spanEnd)
      this.#ends.add(spanEnd)
      if (spanStart < offset && offset < spanEnd) around = spanEnd
      i = close
    }
    this.#resolvedEnd = end
    this.clear()
    return around
  }
}
