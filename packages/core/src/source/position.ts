import { lastAtMost } from './last-at-most.ts'

/** `offset` is in UTF-16 units from 0; `line` and `column` start at 1, as in editors. */
export interface Position {
  offset: number
  line: number
  column: number
}

/** `end` is not part of the range. */
export interface Range {
  start: Position
  end: Position
}

/**
 * Finds the line and column of any offset of `source` in O(log lines). A line ends at LF, CRLF or a lone CR. Columns
 * are in UTF-16 units, including a BOM.
 */
export interface LineCounter {
  /** An offset after the end gives the end. */
  position(offset: number): Position
  range(start: number, end: number): Range
  /** A line's text without its line break; empty if the line doesn't exist. */
  line(number: number): string
}

const CR = 13
const LF = 10

export function createLineCounter(source: string): LineCounter {
  const starts = [0]
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i)
    if (code === LF || (code === CR && source.charCodeAt(i + 1) !== LF)) starts.push(i + 1)
  }

  function position(offset: number): Position {
    const within = Math.max(0, Math.min(offset, source.length))
    const line = lastAtMost(starts, within)
    return { offset: within, line: line + 1, column: within - starts[line]! + 1 }
  }

  return {
    position,
    range: (start, end) => ({ start: position(start), end: position(end) }),
    line(number) {
      const start = starts[number - 1]
      if (start === undefined) return ''
      return source.slice(start, starts[number] ?? source.length).replace(/\r?\n$|\r$/, '')
    },
  }
}
