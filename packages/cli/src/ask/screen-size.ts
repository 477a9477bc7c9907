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

export function screenSize({ columns = 80, rows = 24 }: Terminal): ScreenSize {
  const isSmall = rows < 18
  return { columns, rows, isSmall, answers: isSmall ? 5 : 7 }
}

/** The rows that are left for what is asked about, so that all of the question is on the screen at once. */
export function roomBelow(head: readonly string[], { rows, answers }: ScreenSize): number {
  return Math.max(LEAST_ROOM, rows - head.length - answers - AROUND_ANSWERS)
}
