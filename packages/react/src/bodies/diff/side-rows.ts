import type { DiffRow } from './diff-rows.ts'

export type LineRow = Extract<DiffRow, { kind: 'context' | 'added' | 'removed' }>

/** A row with two columns, old and new. Folded sections and file names span both. */
export type SideRow =
  | { kind: 'pair'; old: LineRow | undefined; now: LineRow | undefined }
  | { kind: 'over'; row: DiffRow }

/** A unified diff as two columns: a change's removed and added lines are side by side. */
export function sideRows(rows: readonly DiffRow[]): SideRow[] {
  const result: SideRow[] = []
  let removed: LineRow[] = []
  let added: LineRow[] = []
  /** New line number minus old line number. */
  let shift = 0
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      result.push({ kind: 'pair', old: removed[at], now: added[at] })
    }
    shift += added.length - removed.length
    removed = []
    added = []
  }
  for (const row of rows) {
    if (row.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(row)
    } else if (row.kind === 'added') added.push(row)
    else {
      flush()
      if (row.kind === 'context') {
        const number = row.number === undefined ? undefined : row.number - shift
        result.push({ kind: 'pair', old: { ...row, number }, now: row })
      } else {
        if (row.kind === 'file') shift = 0
        result.push({ kind: 'over', row })
      }
    }
  }
  flush()
  return result
}
