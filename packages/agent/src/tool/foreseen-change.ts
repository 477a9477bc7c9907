import { countLines, lineDiff } from './line-diff.ts'

/** What a call would do to a file, for the person who is asked about it. */
export interface ForeseenChange {
  /** As tools show it, relative to the working folder where it lies there. */
  path: string
  /** Where a moved file is now. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  /** Lines of the file now, where it is a text. */
  linesBefore?: number
  /** Lines of the file afterwards. */
  linesAfter?: number
  /** The lines that change, in the unified format. */
  diff?: string
}

/** Compares a file with the text that it would get. `before` is undefined if there is no file, or no text in it. */
export function foreseeChange(
  path: string,
  exists: boolean,
  before: string | undefined,
  after: string,
): ForeseenChange {
  const change: ForeseenChange = { path, operation: exists ? 'update' : 'add', linesAfter: countLines(after) }
  if (before !== undefined) change.linesBefore = countLines(before)
  if (!exists || before !== undefined) change.diff = lineDiff(before ?? '', after)
  return change
}
