/**
 * The backtick runs of one line. A run opens a code span when an equal run follows on the same line; until then it is
 * pending, and what follows it may or may not be code.
 *
 *     `` a ` b ` <tool:x> … ``      all of it is one span: the first run finds its equal
 *     `` a ` b ` <tool:x> …         the first run has no equal, so the second and third make a span
 */
export class CodeSpans {
  /** Offset and length of each run since the first that is pending, in turn. */
  readonly #runs: number[] = []
  /** The spans of a line that has been read to its end: offset of the first backtick → offset after the last. */
  #spans = new Map<number, number>()
  /** Where those spans end. */
  #ends = new Set<number>()
  /** Runs before this offset belong to `#spans`. */
  #resolvedEnd = 0
  /** Where the run ends that closed the last span. */
  #closedEnd = -1

  /** A run is pending: whether the text after it is code is not known yet. */
  get pending(): boolean {
    return this.#runs.length > 0
  }

  /** The only run so far is the pending one. */
  get single(): boolean {
    return this.#runs.length === 2
  }

  /** The length of the pending run, -1 where there is none. 0 stands for `<code>`. */
  get length(): number {
    return this.#runs[1] ?? -1
  }

  /** The run that ends at `offset` closed a span. */
  closes(offset: number): boolean {
    return offset === this.#closedEnd || this.#ends.has(offset)
  }

  /** A run has been read. Gives the end of its span, where that is known already; 0 otherwise. */
  add(offset: number, length: number): number {
    if (offset < this.#resolvedEnd) return this.#spans.get(offset) ?? 0
    if (this.#runs[1] === length) {
      this.clear()
      this.#closedEnd = offset + length
    } else this.#runs.push(offset, length)
    return 0
  }

  /** The line has ended; which of its runs made spans is still known. */
  endLine(): void {
    if (this.#runs.length > 2) this.resolve(this.#resolvedEnd, -1)
    else this.clear()
  }

  /** Nothing is pending any more: the line has ended, a span has closed, a call was read. */
  clear(): void {
    if (this.#runs.length > 0) this.#runs.length = 0
  }

  /**
   * The line ends at `end` and the pending run found no equal: finds out which of the other runs make spans. Gives the
   * end of the span that `offset` is in, or 0.
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
