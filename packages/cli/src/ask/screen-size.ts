import { getColumns, getRows } from '../io/columns.ts'
import { measureWidth } from '../io/width.ts'
import type { Terminal } from '../view/screen.ts'

export interface ScreenSize {
  columns: number
  rows: number
  isSmall: boolean
  /** How many answers are visible together. A prompt shows at least five. */
  answers: number
}

/** The question above the answers, and two empty rows below them. */
const AROUND_ANSWERS = 3
const LEAST_ROOM = 3

export function screenSize(terminal: Terminal): ScreenSize {
  const [columns, rows] = [getColumns(terminal), getRows(terminal)]
  const isSmall = rows < 18
  return { columns, rows, isSmall, answers: isSmall ? 5 : 7 }
}

/** The rows left for the subject of the question if the whole question is to fit on the screen. */
export function roomBelow(head: readonly string[], { rows, columns, answers }: ScreenSize, longest = ''): number {
  // An answer wider than the screen takes more than one row.
  const extraRows = Math.floor((measureWidth(longest) + 2) / columns)
  return Math.max(LEAST_ROOM, rows - head.length - answers - AROUND_ANSWERS - extraRows)
}
