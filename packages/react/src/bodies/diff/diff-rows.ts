import type { DiffRun } from '@argot/core/stream/internal'
import { type DiffPiece, wordMarks } from './word-marks.ts'

export type DiffRow =
  | { kind: 'context' | 'added' | 'removed'; number: number | undefined; pieces: readonly DiffPiece[] }
  /** Folded unchanged lines, with their rows if known. */
  | { kind: 'skip'; count: number; rows: readonly DiffRow[] }
  /** A file's name, if a diff has several. */
  | { kind: 'file'; name: string }
  /** A line of a diff that is not a line of a file. */
  | { kind: 'head'; text: string }

/** How many unchanged lines are shown around a change, and the fewest that are worth folding. */
const AROUND = 3
const WORTH_FOLDING = 4

/** The rows of one section of a file: numbered lines, marked words, long unchanged sections folded. */
export function diffRows(
  runs: readonly DiffRun[],
  from: { old: number | undefined; now: number | undefined } = { old: 1, now: 1 },
): DiffRow[] {
  const rows: DiffRow[] = []
  let { old, now } = from
  runs.forEach(({ kind, lines }, index) => {
    if (kind === 'same') {
      const same = lines.map((text, at): DiffRow => row('context', plus(now, at), text))
      rows.push(...foldRows(same, index > 0, index < runs.length - 1))
      old = plus(old, lines.length)
      now = plus(now, lines.length)
      return
    }
    const other = kind === 'removed' ? runs[index + 1] : runs[index - 1]
    const partner = other !== undefined && other.kind !== 'same' ? other.lines : []
    lines.forEach((text, at) => {
      const number = plus(kind === 'removed' ? old : now, at)
      rows.push({ kind, number, pieces: toPieces(text, partner.length === lines.length ? partner[at] : undefined) })
    })
    if (kind === 'removed') old = plus(old, lines.length)
    else now = plus(now, lines.length)
  })
  return rows
}

function plus(number: number | undefined, more: number): number | undefined {
  return number === undefined ? undefined : number + more
}

function row(kind: 'context', number: number | undefined, text: string): DiffRow {
  return { kind, number, pieces: [{ text, isMarked: false }] }
}

function toPieces(text: string, partner: string | undefined): DiffPiece[] {
  const marks = partner === undefined ? undefined : wordMarks(text, partner)
  return marks ?? [{ text, isMarked: false }]
}

function foldRows(rows: readonly DiffRow[], hasBefore: boolean, hasAfter: boolean): readonly DiffRow[] {
  const head = hasBefore ? AROUND : 0
  const tail = hasAfter ? AROUND : 0
  const count = rows.length - head - tail
  if (count < WORTH_FOLDING) return rows
  const hidden = rows.slice(head, rows.length - tail)
  return [...rows.slice(0, head), { kind: 'skip', count, rows: hidden }, ...rows.slice(rows.length - tail)]
}

export function countChanged(rows: readonly DiffRow[]): { added: number; removed: number } {
  const changed = { added: 0, removed: 0 }
  for (const { kind } of rows) if (kind === 'added' || kind === 'removed') changed[kind]++
  return changed
}
