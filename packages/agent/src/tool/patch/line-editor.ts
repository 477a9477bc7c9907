import { ToolFailure } from '../../words/tool-failure.ts'
import { describeMiss } from './describe-miss.ts'
import type { SearchBudget } from './line-index.ts'
import type { Hunk } from './parse-patch.ts'
import { oldLines, type Place, PlaceFinder, type Search } from './place-finder.ts'

/**
 * Changes lines by hunks. Hunks are looked for in the lines as they were at first; one that is not there is looked for
 * again with the changes so far made, so that hunks may build on each other.
 */
export class LineEditor {
  lines: readonly string[]
  /** Which line of the original each line is; -1 for a new one. */
  origins: readonly number[]
  readonly #budget: SearchBudget
  #finder: PlaceFinder
  /** Which lines go, and which come before a line (or after the last), until the changes are made. */
  #removed: Uint8Array
  #inserted = new Map<number, string[]>()
  #isChanged = false
  /** Where the last hunk ended. */
  #cursor = 0

  constructor(lines: readonly string[], budget: SearchBudget) {
    this.lines = lines
    this.origins = lines.map((_, i) => i)
    this.#budget = budget
    this.#finder = new PlaceFinder(lines, budget)
    this.#removed = new Uint8Array(lines.length)
  }

  /** Makes the changes of one section of a patch. `path` is for messages. */
  apply(hunks: readonly Hunk[], path: string): void {
    this.#cursor = 0
    for (const [i, hunk] of hunks.entries()) {
      let place = this.#find(hunk)
      if (place === undefined && this.#isChanged) {
        this.settle()
        place = this.#find(hunk)
      }
      if (place === undefined) throw this.#missing(hunk, `${path}, hunk ${i + 1} (line ${hunk.line} of the patch)`)
      this.make(place)
    }
  }

  /** Replaces everything. */
  replaceAll(lines: readonly string[]): void {
    this.settle()
    this.#removed.fill(1)
    this.#inserted.set(this.lines.length, [...lines])
    this.#isChanged = true
    this.settle()
  }

  /** Makes the changes that were found, so that `lines` and `origins` show them. */
  settle(): void {
    if (!this.#isChanged) return
    const lines: string[] = []
    const origins: number[] = []
    let cursor = 0
    for (let i = 0; i <= this.lines.length; i++) {
      for (const text of this.#inserted.get(i) ?? []) {
        lines.push(text)
        origins.push(-1)
      }
      if (i === this.#cursor) cursor = lines.length
      if (i === this.lines.length || this.#removed[i] === 1) continue
      lines.push(this.lines[i]!)
      origins.push(this.origins[i]!)
    }
    this.#budget.spend(this.lines.length)
    this.lines = lines
    this.origins = origins
    this.#finder = new PlaceFinder(lines, this.#budget)
    this.#removed = new Uint8Array(lines.length)
    this.#inserted = new Map()
    this.#isChanged = false
    this.#cursor = cursor
  }

  /** Makes the changes of a hunk at its place; `settle` shows them. */
  make({ start, lines }: Place): void {
    let at = start
    for (const { mark, text } of lines) {
      if (mark === '+') {
        const list = this.#inserted.get(at)
        if (list === undefined) this.#inserted.set(at, [text])
        else list.push(text)
        continue
      }
      if (mark === '-') this.#removed[at] = 1
      at++
    }
    this.#cursor = at
    this.#isChanged = true
  }

  #find(hunk: Hunk): Place | undefined {
    return this.#finder.find(hunk, this.#search)
  }

  get #search(): Search {
    return { cursor: this.#cursor, isFree: line => this.#removed[line] !== 1 }
  }

  #missing(hunk: Hunk, where: string): ToolFailure {
    const { index } = this.#finder
    const lost = this.#finder.findStarts(hunk.anchors, this.#search).length === 0
    const problem = lost
      ? describeMiss(index, hunk.anchors, 'anchor', hunk.anchors)
      : describeMiss(index, oldLines(hunk.lines), 'lines', hunk.anchors)
    return new ToolFailure('TOOL_PATCH_NO_MATCH', `${where}: ${problem} Nothing was changed.`)
  }
}
