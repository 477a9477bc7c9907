import type { DiffRun } from '@argot/core/stream/internal'
import { type DiffRow, diffRows } from './diff-rows.ts'

/**
 * The rows of a unified diff, file by file, with the number of omitted unchanged lines between hunks. It is a generator
 * that yields between hunks, so that a long diff can be read in slices. A line outside any hunk is left out, unless
 * `withHeads` is set.
 */
export function* parseUnifiedDiff(text: string, withHeads = false): Generator<undefined, DiffRow[]> {
  const lines = text.split('\n')
  const fileCount = countFiles(lines)
  const rows: DiffRow[] = []
  let nextLine: number | undefined
  let hunk: Hunk | undefined
  const flush = () => {
    if (hunk === undefined) return
    const gap = nextLine === undefined || hunk.now === undefined ? 0 : hunk.now - nextLine
    if (gap > 0) rows.push({ kind: 'skip', count: gap, rows: [] })
    rows.push(...diffRows(hunk.runs, hunk))
    nextLine = hunk.now === undefined ? undefined : hunk.now + countNew(hunk.runs)
    hunk = undefined
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    // The hunk has as many lines as its head says, whatever they look like.
    const isInside = isOpen(hunk) && /^(?:[-+ ]|$)/.test(line)
    const header = isInside ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (header !== null) {
      flush()
      yield
      if (withHeads) rows.push({ kind: 'head', text: line })
      hunk = openHunk(header)
    } else if (!isInside && beginsFile(lines, at)) {
      flush()
      nextLine = undefined
      const name = fileName(lines[at + 1]!) ?? fileName(line)
      if (withHeads) rows.push({ kind: 'head', text: line }, { kind: 'head', text: lines[at + 1]! })
      else if (fileCount > 1 && name !== undefined) rows.push({ kind: 'file', name })
      at++
    } else if (hunk !== undefined && isLast(lines, at)) break
    else if (hunk !== undefined && (isInside || !withHeads)) addLine(hunk, line)
    else if (withHeads && !isLast(lines, at)) {
      flush()
      rows.push({ kind: 'head', text: line })
    }
  }
  flush()
  return rows
}

interface Hunk {
  old: number | undefined
  now: number | undefined
  /** The lines still to come, old and new. */
  oldLeft: number
  nowLeft: number
  runs: DiffRun[]
}

function openHunk([, old, oldLeft = '1', now, nowLeft = '1']: RegExpExecArray): Hunk {
  return { old: Number(old), now: Number(now), oldLeft: Number(oldLeft), nowLeft: Number(nowLeft), runs: [] }
}

function isOpen(hunk: Hunk | undefined): boolean {
  return hunk !== undefined && (hunk.oldLeft > 0 || hunk.nowLeft > 0)
}

function beginsFile(lines: readonly string[], at: number): boolean {
  return lines[at]!.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') === true
}

function isLast(lines: readonly string[], at: number): boolean {
  return at === lines.length - 1 && lines[at] === ''
}

function countFiles(lines: readonly string[]): number {
  return lines.filter((_, at) => beginsFile(lines, at)).length
}

/** Undefined for `/dev/null`, which replaces the name of a file that was added or deleted. */
function fileName(line: string): string | undefined {
  const name = line.slice(4).split('\t')[0]!.trim()
  return name === '' || name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '')
}

const kinds: Readonly<Record<string, DiffRun['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same', '': 'same' }

function addLine(hunk: Hunk, line: string): void {
  const { runs } = hunk
  const sign = line.slice(0, 1)
  const kind = Object.hasOwn(kinds, sign) ? kinds[sign]! : undefined
  if (kind === undefined) return
  if (kind !== 'added') hunk.oldLeft--
  if (kind !== 'removed') hunk.nowLeft--
  const last = runs.at(-1)
  if (last?.kind === kind) (last.lines as string[]).push(line.slice(1))
  else runs.push({ kind, lines: [line.slice(1)] })
}

function countNew(runs: readonly DiffRun[]): number {
  return runs.reduce((sum, { kind, lines }) => sum + (kind === 'removed' ? 0 : lines.length), 0)
}

export function diffFileName(text: string): string | undefined {
  const header = /^--- [^\n]*\n\+\+\+ ([^\n]*)/m.exec(text.slice(0, 4000))
  return header === null ? undefined : fileName(`+++ ${header[1]}`)
}
