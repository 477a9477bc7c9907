import { widthOfCharacter } from '../view/width.ts'

/** What a terminal does not show as itself: controls, format characters, halves of pairs, separators. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The text with everything written out that a person could not see, or that would drive the terminal. */
export function showHidden(text: string): string {
  return text.replace(hidden, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/**
 * The input of a call for a person to judge, in rows no wider than `columns`: each parameter, texts of several lines as
 * they are. Nothing in it can pass for something else: each row begins with a bar. At most `rows` rows; the last one
 * says how much is left out.
 */
export function describeInput(input: unknown, columns: number, rows: number): string[] {
  const lines = isRecord(input)
    ? Object.entries(input).flatMap(([key, value]) => describeParameter(key, value))
    : toJson(input)
  const all: string[] = []
  for (const line of lines) {
    if (all.length > rows + 10_000) break
    all.push(...wrap(showHidden(line), Math.max(8, columns - 3)))
  }
  if (all.length <= rows) return all.map(row => `│ ${row}`)
  const shown = all.slice(0, Math.max(0, rows - 1)).map(row => `│ ${row}`)
  return [...shown, `… ${all.length - shown.length} more rows; “Edit the input” shows all of it.`]
}

function describeParameter(key: string, value: unknown): string[] {
  if (typeof value === 'string' && value.includes('\n')) {
    return [`${key}:`, ...value.split(/\r?\n/).map(line => `  ${line.replaceAll('\t', '    ')}`)]
  }
  const [first = '', ...rest] = toJson(value)
  return [`${key}: ${first}`, ...rest]
}

function toJson(value: unknown): string[] {
  return (JSON.stringify(value, null, 2) ?? 'nothing').split('\n')
}

function wrap(line: string, columns: number): string[] {
  const rows: string[] = []
  let start = 0
  let at = 0
  let width = 0
  for (const character of line) {
    const next = widthOfCharacter(character)
    if (width + next > columns) {
      rows.push(line.slice(start, at))
      start = at
      width = 0
    }
    width += next
    at += character.length
  }
  return [...rows, line.slice(start)]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
