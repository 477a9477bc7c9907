import type { LineRange } from '@argot/core/stream/internal'
import type { ForeseenPart } from '../foreseen-change.ts'
import { LineEditor } from './line-editor.ts'
import { SearchBudget } from './line-index.ts'
import type { PatchHunk, PatchSection, UpdateSection } from './parse-patch.ts'
import { type HunkPlace, oldLines, PlaceFinder } from './place-finder.ts'
import type { PlannedChange } from './plan-patch.ts'
import { splitText } from './text-lines.ts'
import { writeDiff } from './write-diff.ts'

/** A file with more hunks can only be accepted or rejected as a whole. */
const MOST_HUNKS = 24

/**
 * The parts of a patch that can be accepted or rejected, for each planned change. Rejecting some never changes what the
 * others do to the files. Undefined if that isn't certain.
 */
export function dividePatch(
  sections: readonly PatchSection[],
  changes: readonly PlannedChange[],
): ForeseenPart[][] | undefined {
  // Two sections that name the same file are one change.
  if (sections.length !== changes.length) return undefined
  return sections.map((section, index) => divideSection(section, changes[index]!))
}

function divideSection(section: PatchSection, change: PlannedChange): ForeseenPart[] {
  const parts = section.kind === 'update' && change.operation === 'update' ? divideUpdate(section, change.original) : []
  if (parts.length > 1) return parts
  const { text } = change.diff
  return [{ key: 'patch', lines: [section.line - 1, section.end], diff: text, ...startLine(change.operation, text) }]
}

function divideUpdate({ line, hunks }: UpdateSection, original: string): ForeseenPart[] {
  if (hunks.length < 2 || hunks.length > MOST_HUNKS || !hunks.slice(1).every(({ isMarked }) => isMarked)) return []
  const { lines } = splitText(original)
  const places = findIndependentPlaces(lines, hunks)
  const head: LineRange = [line - 1, hunks[0]!.line - 1]
  return places.map((place, index) => {
    const hunk = hunks[index]!
    const end = hunks[index + 1] === undefined ? hunk.end : hunks[index + 1]!.line - 1
    const diff = diffPlace(lines, place)
    return { key: 'patch', head, lines: [hunk.line - 1, end], diff, ...startLine('update', diff) }
  })
}

/**
 * The places of a file's hunks, if each keeps its place whichever of the others are applied; none otherwise.
 *
 * A search depends on where the last hunk ended and on the lines already removed. It finds the first place whose lines
 * are all there. So a place that is found both with nothing removed and with everything removed is found with anything
 * in between.
 */
function findIndependentPlaces(lines: readonly string[], hunks: readonly PatchHunk[]): HunkPlace[] {
  const finder = new PlaceFinder(lines, new SearchBudget())
  const removed = new Set<number>()
  const ends = [0]
  const places: HunkPlace[] = []
  const before = { isUntouched: () => true }
  const after = { isUntouched: (line: number) => !removed.has(line) }
  try {
    for (const hunk of hunks) {
      const place = finder.find(hunk, { ...after, cursor: ends.at(-1)! })
      if (place === undefined) return []
      for (const cursor of ends) {
        const starts = [before, after].map(search => finder.findStarts(hunk.anchors, { ...search, cursor }))
        if (String(starts[0]) !== String(starts[1])) return []
        const others = [before, after].map(search => finder.find(hunk, { ...search, cursor }))
        if (!others.every(other => other?.start === place.start && other.lines.length === place.lines.length)) return []
      }
      places.push(place)
      ends.push(place.start + oldLines(place.lines).length)
      for (const line of removedAt(place)) removed.add(line)
    }
    return places.every((place, index) => places.slice(0, index).every(other => isApart(place, other))) ? places : []
  } catch {
    // The hunks match too many places to be searched this often.
    return []
  }
}

/** Changes that touch could be applied in either order. */
function isApart(one: HunkPlace, other: HunkPlace): boolean {
  const [from, to] = changedRange(one)
  const [otherFrom, otherTo] = changedRange(other)
  return to < otherFrom || otherTo < from
}

/** From the first changed line to the one after the last; both are the same if lines are only added. */
function changedRange({ start, lines }: HunkPlace): LineRange {
  let at = start
  const edges: number[] = []
  for (const { mark } of lines) {
    if (mark !== ' ') edges.push(at)
    if (mark !== '+') at++
    if (mark === '-') edges.push(at)
  }
  return [edges[0]!, edges.at(-1)!]
}

function* removedAt({ start, lines }: HunkPlace): Generator<number> {
  let at = start
  for (const { mark } of lines) {
    if (mark === '-') yield at
    if (mark !== '+') at++
  }
}

function diffPlace(lines: readonly string[], place: HunkPlace): string {
  const editor = new LineEditor(lines, new SearchBudget())
  editor.addHunk(place)
  editor.settle()
  return writeDiff(lines, editor.lines, editor.origins).text
}

function startLine(operation: PlannedChange['operation'], diff: string): { line?: number } {
  if (operation === 'add' || operation === 'delete') return {}
  const rows = diff.split('\n')
  const start = /^@@ -(\d+),(\d+)/.exec(rows[0] ?? '')
  const context = rows.slice(1).findIndex(row => !row.startsWith(' '))
  if (start === null || context < 0) return {}
  // A range without lines is named by the line before it.
  return { line: Math.max(1, Number(start[1]) + (start[2] === '0' ? 1 : 0)) + context }
}
