import { LineIndex, type SearchBudget, strictnessLevels } from './line-index.ts'
import type { HunkLine, PatchHunk } from './parse-patch.ts'

/** Where a hunk belongs, and those of its lines that were matched. */
export interface HunkPlace {
  start: number
  lines: readonly HunkLine[]
}

export interface HunkSearch {
  /** The end of the last hunk. */
  cursor: number
  /** No earlier hunk has changed the line. */
  isUntouched(line: number): boolean
}

/** Finds where hunks belong: with exact lines first, then with ever more tolerance for white space and punctuation. */
export class PlaceFinder {
  readonly index: LineIndex
  readonly #budget: SearchBudget

  constructor(lines: readonly string[], budget: SearchBudget) {
    this.index = new LineIndex(lines, budget)
    this.#budget = budget
  }

  find(hunk: PatchHunk, search: HunkSearch): HunkPlace | undefined {
    const starts = this.findStarts(hunk.anchors, search)
    const first = starts[0]
    if (first === undefined) return undefined
    if (oldLines(hunk.lines).length === 0) {
      const start = hunk.anchors.length > 0 && !hunk.atEnd ? first + 1 : this.index.lines.length
      return { start, lines: hunk.lines }
    }
    for (const lines of [hunk.lines, withoutBlankEdges(hunk.lines)]) {
      const searchLines = oldLines(lines)
      for (const level of strictnessLevels) {
        for (const from of starts) {
          const accept = (at: number): boolean => areUntouched(at, searchLines.length, search)
          const start = this.index.find(searchLines, level, from, accept, hunk.atEnd)
          if (start !== undefined) return { start, lines }
        }
      }
    }
    return undefined
  }

  /** Where to start searching: after the last hunk, then from the top; with anchors, at the line of the last anchor. */
  findStarts(anchors: readonly string[], search: HunkSearch): number[] {
    const starts = [search.cursor, 0].map(from => {
      let at: number | undefined = from
      for (const [i, anchor] of anchors.entries()) {
        if (at !== undefined) at = this.#findAnchor(anchor, i === 0 ? at : at + 1, search)
      }
      return at
    })
    return [...new Set(starts)].filter(start => start !== undefined)
  }

  #findAnchor(anchor: string, from: number, search: HunkSearch): number | undefined {
    for (const level of strictnessLevels) {
      const position = this.index.find([anchor], level, from, at => search.isUntouched(at), false)
      if (position !== undefined) return position
    }
    const part = anchor.trim()
    const { lines } = this.index
    this.#budget.spend(lines.length - from)
    for (let i = from; i < lines.length; i++) {
      if (lines[i]!.includes(part) && search.isUntouched(i)) return i
    }
    return undefined
  }
}

export function oldLines(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
}

function areUntouched(start: number, count: number, { isUntouched }: HunkSearch): boolean {
  for (let i = start; i < start + count; i++) if (!isUntouched(i)) return false
  return true
}

/** Models begin and end hunks with empty lines that the file doesn't have. */
function withoutBlankEdges(lines: readonly HunkLine[]): readonly HunkLine[] {
  const isBlank = (line: HunkLine | undefined): boolean => line?.mark === ' ' && line.text.trim() === ''
  let start = 0
  let end = lines.length
  while (isBlank(lines[start])) start++
  while (isBlank(lines[end - 1])) end--
  const rest = lines.slice(start, end)
  return rest.some(({ mark }) => mark !== '+') ? rest : lines
}
