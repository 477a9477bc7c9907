import { getColumns, getRows } from '../io/columns.ts'
import { measureWidth } from '../io/width.ts'
import type { Terminal } from '../view/screen.ts'

export interface ScreenSize {
  columns: number
  rows: number
  /** There is room for few words only. */
  isSmall: boolean
  /** How many answers are seen at once; a prompt shows no fewer than five. */
  answers: number
}

/** A prompt has its question above the answers, and two empty rows below them. */
const AROUND_ANSWERS = 3
const LEAST_ROOM = 3

export function screenSize(terminal: Terminal): ScreenSize {
  const [columns, rows] = [getColumns(terminal), getRows(terminal)]
  const isSmall = rows < 18
  return { columns, rows, isSmall, answers: isSmall ? 5 : 7 }
}

/** The rows that are left for what is asked about, so that all of the question is on the screen at once. */
export function roomBelow(head: readonly string[], { rows, columns, answers }: ScreenSize, longest = ''): number {
  // An answer that is wider than the screen takes more rows than one.
  const more = Math.floor((measureWidth(longest) + 2) / columns)
  return Math.max(LEAST_ROOM, rows - head.length - answers - AROUND_ANSWERS - more)
}
