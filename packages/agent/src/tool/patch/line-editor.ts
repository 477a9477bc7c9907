import { ToolFailure } from '../../words/tool-failure.ts'
import { describeMiss } from './describe-miss.ts'
import { LineIndex, type SearchBudget, strictness } from './line-index.ts'
import type { Hunk, HunkLine } from './parse-patch.ts'

/** Where a hunk belongs, and its lines as far as they were found. */
interface Place {
  start: number
  lines: readonly HunkLine[]
}

/**
 * Changes lines by hunks. Hunks are looked for in the lines as they were at first; one that is not there is looked for
 * again with the changes so far made, so that hunks may build on each other.
 */
export class LineEditor {
  lines: readonly string[]
  /** Which line of the original each line is; -1 for a new one. */
  origins: readonly number[]
  readonly #budget: SearchBudget
  #index: LineIndex
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
    this.#index = new LineIndex(lines, budget)
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
      this.#change(place)
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
    this.#index = new LineIndex(lines, this.#budget)
    this.#removed = new Uint8Array(lines.length)
    this.#inserted = new Map()
    this.#isChanged = false
    this.#cursor = cursor
  }

  #change({ start, lines }: Place): void {
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
    const starts = this.#findStarts(hunk.anchors)
    const first = starts[0]
    if (first === undefined) return undefined
    if (oldLines(hunk.lines).length === 0) {
      const start = hunk.anchors.length > 0 && !hunk.atEnd ? first + 1 : this.lines.length
      return { start, lines: hunk.lines }
    }
    for (const lines of [hunk.lines, withoutBlankEdges(hunk.lines)]) {
      const wanted = oldLines(lines)
      for (const level of strictness) {
        for (const from of starts) {
          const start = this.#index.find(wanted, level, from, at => this.#isFree(at, wanted.length), hunk.atEnd)
          if (start !== undefined) return { start, lines }
        }
      }
    }
    return undefined
  }

  /** Where to look from: after the last hunk, or else from the top; with anchors, at the line of the last of them. */
  #findStarts(anchors: readonly string[]): number[] {
    const starts = [this.#cursor, 0].map(from => {
      let at: number | undefined = from
      for (const [i, anchor] of anchors.entries()) {
        if (at !== undefined) at = this.#findAnchor(anchor, i === 0 ? at : at + 1)
      }
      return at
    })
    return [...new Set(starts)].filter(start => start !== undefined)
  }

  #findAnchor(anchor: string, from: number): number | undefined {
    for (const level of strictness) {
      const found = this.#index.find([anchor], level, from, at => this.#isFree(at, 1), false)
      if (found !== undefined) return found
    }
    const part = anchor.trim()
    this.#budget.spend(this.lines.length - from)
    for (let i = from; i < this.lines.length; i++) {
      if (this.lines[i]!.includes(part) && this.#isFree(i, 1)) return i
    }
    return undefined
  }

  #isFree(start: number, count: number): boolean {
    for (let i = start; i < start + count; i++) if (this.#removed[i] === 1) return false
    return true
  }

  #missing(hunk: Hunk, where: string): ToolFailure {
    const lost = this.#findStarts(hunk.anchors).length === 0
    const problem = lost
      ? describeMiss(this.#index, hunk.anchors, 'anchor', hunk.anchors)
      : describeMiss(this.#index, oldLines(hunk.lines), 'lines', hunk.anchors)
    return new ToolFailure('TOOL_PATCH_NO_MATCH', `${where}: ${problem} Nothing was changed.`)
  }
}

function oldLines(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
}

/** Models begin and end hunks with blank lines that the file does not have. */
function withoutBlankEdges(lines: readonly HunkLine[]): readonly HunkLine[] {
  const isBlank = (line: HunkLine | undefined): boolean => line?.mark === ' ' && line.text.trim() === ''
  let start = 0
  let end = lines.length
  while (isBlank(lines[start])) start++
  while (isBlank(lines[end - 1])) end--
  const rest = lines.slice(start, end)
  return rest.some(({ mark }) => mark !== '+') ? rest : lines
}
