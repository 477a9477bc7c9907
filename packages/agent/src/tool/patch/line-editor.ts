import { ToolFailure } from '../../words/tool-failure.ts'
import { describeMiss } from './describe-miss.ts'
import type { SearchBudget } from './line-index.ts'
import type { PatchHunk } from './parse-patch.ts'
import { type HunkPlace, type HunkSearch, oldLines, PlaceFinder } from './place-finder.ts'

/** Searches for each hunk in the original lines first, then with the changes so far: hunks may build on others. */
export class LineEditor {
  lines: readonly string[]
  /** The original line number of each line; -1 for a new one. */
  origins: readonly number[]
  readonly #budget: SearchBudget
  #finder: PlaceFinder
  /** The lines to remove, and those to insert before a line (or after the last), until the changes are applied. */
  #removed: Uint8Array
  #inserted = new Map<number, string[]>()
  #isChanged = false
  #cursor = 0

  constructor(lines: readonly string[], budget: SearchBudget) {
    this.lines = lines
    this.origins = lines.map((_, i) => i)
    this.#budget = budget
    this.#finder = new PlaceFinder(lines, budget)
    this.#removed = new Uint8Array(lines.length)
  }

  apply(hunks: readonly PatchHunk[], path: string): void {
    this.#cursor = 0
    for (const [i, hunk] of hunks.entries()) {
      let place = this.#find(hunk)
      if (place === undefined && this.#isChanged) {
        this.settle()
        place = this.#find(hunk)
      }
      if (place === undefined) throw this.#missing(hunk, `${path}, hunk ${i + 1} (line ${hunk.line} of the patch)`)
      this.addHunk(place)
    }
  }

  replaceAll(lines: readonly string[]): void {
    this.settle()
    this.#removed.fill(1)
    this.#inserted.set(this.lines.length, [...lines])
    this.#isChanged = true
    this.settle()
  }

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

  /** Records the changes of a hunk at its place; `settle` applies them. */
  addHunk({ start, lines }: HunkPlace): void {
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

  #find(hunk: PatchHunk): HunkPlace | undefined {
    return this.#finder.find(hunk, this.#search)
  }

  get #search(): HunkSearch {
    return { cursor: this.#cursor, isUntouched: line => this.#removed[line] !== 1 }
  }

  #missing(hunk: PatchHunk, where: string): ToolFailure {
    const { index } = this.#finder
    const lost = this.#finder.findStarts(hunk.anchors, this.#search).length === 0
    const problem = lost
      ? describeMiss(index, hunk.anchors, 'anchor', hunk.anchors)
      : describeMiss(index, oldLines(hunk.lines), 'lines', hunk.anchors)
    return new ToolFailure('TOOL_PATCH_NO_MATCH', `${where}: ${problem} Nothing was changed.`)
  }
}
