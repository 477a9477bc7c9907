import { CR, SPACE } from '../reader/char-codes.ts'

/** True for the first line of a field. Other beginnings (`{`, `---`, `? `, `- `) mean another form of mapping. */
export function isField(line: string): boolean {
  return /^ *(?!(?:[-?]|---)(?:[ \t]|$))[^\s{}[\],#&*!|>%@`]/.test(line) && /:(?:[ \t]|$)/.test(line)
}

/**
 * True for a line that belongs to the field above although it isn't indented: a list item, the value of an explicit
 * key, a closing bracket, a comment, or a line that begins with a tab (and is blank, or wrong).
 */
export function continuesField(line: string, column: number): boolean {
  return /^(?:[-:](?:[ \t]|$)|[}\]#\t])/.test(line.slice(column, column + 2))
}

/** The column of the first visible character, or -1. */
export function getIndentation(line: string): number {
  let column = 0
  while (column < line.length && line.charCodeAt(column) === SPACE) column++
  return column === line.length ? -1 : column
}

/** Removes the CRs (there may be several) before the line break. */
export function withoutCr(line: string): string {
  let end = line.length
  while (end > 0 && line.charCodeAt(end - 1) === CR) end--
  return line.slice(0, end)
}

/** Matches a parameter that is a quoted text, up to and including its quote. */
export const quotedStart: RegExp = /^([A-Za-z_][\w.-]*): +(["'])/

export function startsQuoted(line: string, column: number): boolean {
  return quotedStart.test(line.slice(column, column + 200))
}

/** True for what may become the start of a quoted parameter. */
export function maybeQuoted(head: string): boolean {
  return /^ *(?:[A-Za-z_][\w.-]{0,127}(?:: *)?)?$/.test(head)
}
