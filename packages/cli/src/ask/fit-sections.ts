import { english } from '@argot/core/stream'
import { afterPair } from '@argot/core/stream/internal'
import { cutEnd } from '../io/width.ts'
import { wrapRows } from '../io/wrap-rows.ts'

export interface QuestionSection {
  /** Contains no hidden characters except line feeds. */
  text: string
}

export interface FittedSections {
  /** Each row starts with a bar, so that it can't be mistaken for something else. */
  rows: string[]
  isCut: boolean
}

/** Needed to show a head and how much is omitted. */
const LEAST_ROWS = 2

/**
 * Fits the sections into `rows` rows of `columns` columns. Short sections come first and stay whole. Long ones show
 * their head, the omitted count and their tail. Sections of equal length keep their order.
 */
export function fitSections(sections: readonly QuestionSection[], columns: number, rows: number): FittedSections {
  const room = Math.max(8, columns - 2)
  const sorted = sections
    .map(({ text }) => ({ text, size: Math.min(wrapRows(text, room, rows + 1).length, rows + 1) }))
    .sort((a, b) => a.size - b.size)
  const lines: string[] = []
  let isCut = false
  for (const [index, { text, size }] of sorted.entries()) {
    const left = rows - lines.length
    const others = sorted.length - index
    // If a section doesn't fit, one row remains to say so.
    if (left < Math.min(size, LEAST_ROWS) + (others > 1 ? 1 : 0)) {
      lines.push(cutEnd(`… ${others} more ${others === 1 ? 'parameter' : 'parameters'} not shown …`, columns))
      isCut = true
      break
    }
    const share = Math.max(Math.min(LEAST_ROWS, left), Math.floor(left / others))
    if (size <= share) lines.push(...wrapRows(text, room).map(bar))
    else {
      lines.push(...cutMiddle(text, room, share))
      isCut = true
    }
  }
  return { rows: lines, isCut }
}

export function wholeSections(sections: readonly QuestionSection[], columns: number): string[] {
  return sections.flatMap(({ text }) => wrapRows(text, Math.max(8, columns - 2)).map(bar))
}

function bar(row: { text: string }): string {
  return `│ ${row.text}`
}

/** The head and tail of a text in this many rows, with the omitted count between them. */
function cutMiddle(text: string, columns: number, rows: number): string[] {
  const tailRows = rows < 3 ? 0 : Math.max(1, Math.floor((rows - 1) / 3))
  const head = wrapRows(text, columns, rows - 1 - tailRows)
  const headEnd = head.at(-1)?.end ?? 0
  // As much as fits into the tail's rows, wherever its lines begin.
  const from = Math.max(headEnd, text.length - tailRows * columns)
  const start = afterPair(text, from)
  const tail = tailRows === 0 ? [] : wrapRows(text.slice(start), columns).slice(-tailRows)
  const tailStart = tail[0] === undefined ? text.length : start + tail[0].start
  return [
    ...head.map(bar),
    cutEnd(`│ … ${describeLeftOut(text.slice(headEnd, tailStart))} not shown …`, columns + 2),
    ...tail.map(bar),
  ]
}

function describeLeftOut(text: string): string {
  const lines = text.split('\n').length - 1
  const count = (number: number, word: string): string => `${english.number(number)} ${word}${number === 1 ? '' : 's'}`
  return lines > 1 ? `${count(lines, 'line')} (${count(text.length, 'character')})` : count(text.length, 'character')
}
