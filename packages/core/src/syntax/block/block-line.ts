import { CR, SPACE } from '../reader/char-codes.ts'

/** True for the first line of a field. What begins otherwise (`{`, `---`, `? `, `- `) is a mapping of another form. */
export function isField(line: string): boolean {
  return /^ *(?!(?:[-?]|---)(?:[ \t]|$))[^\s{}[\],#&*!|>%@`]/.test(line) && /:(?:[ \t]|$)/.test(line)
}

/**
 * True for a line that belongs to the field above although it is not indented: an item of a list, the value of an explicit
 * key, a closing bracket, a comment, or one that begins with a tab (and is blank, or wrong).
 */
export function continuesField(line: string, column: number): boolean {
  return /^(?:[-:](?:[ \t]|$)|[}\]#\t])/.test(line.slice(column, column + 2))
}

/** The column of the first character that is not a blank, -1 where there is none. */
export function indentation(line: string): number {
  let column = 0
  while (column < line.length && line.charCodeAt(column) === SPACE) column++
  return column === line.length ? -1 : column
}

/** A line without the CR before its line break, of which there may be several. */
export function withoutCr(line: string): string {
  let end = line.length
  while (end > 0 && line.charCodeAt(end - 1) === CR) end--
  return line.slice(0, end)
}

/** A parameter that is a quoted text, up to its quote. */
export const quotedStart: RegExp = /^([A-Za-z_][\w.-]*): +(["'])/

/** True for a line that begins a parameter which is a quoted text. */
export function startsQuoted(line: string, column: number): boolean {
  return quotedStart.test(line.slice(column, column + 200))
}

/** True for what may become the beginning of a parameter that is a quoted text. */
export function maybeQuoted(head: string): boolean {
  return /^ *(?:[A-Za-z_][\w.-]{0,127}(?:: *)?)?$/.test(head)
}
