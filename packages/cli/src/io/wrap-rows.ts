import { getCharacterWidth, measureWidth, withoutStyles } from './width.ts'

/**
 * Wraps a text into at most `limit` rows of at most `columns` columns. The text may contain no hidden characters except
 * line feeds.
 */
export function wrapRows(text: string, columns: number, limit: number = Number.POSITIVE_INFINITY): TextRow[] {
  const rows: TextRow[] = []
  let start = 0
  let at = 0
  let width = 0
  for (const character of text) {
    const isEnd = character === '\n'
    const next = isEnd ? 0 : getCharacterWidth(character)
    if (isEnd || width + next > columns) {
      rows.push({ text: text.slice(start, at), start, end: isEnd ? at + 1 : at })
      if (rows.length >= limit) return rows
      start = isEnd ? at + 1 : at
      width = 0
    }
    width += next
    at += character.length
  }
  rows.push({ text: text.slice(start), start, end: text.length })
  return rows
}

export interface TextRow {
  text: string
  start: number
  end: number
}

export function wrapWords(sentence: string, columns: number): string[] {
  const rows: string[] = []
  let row = ''
  for (const word of sentence.split(' ')) {
    const longer = row === '' ? word : `${row} ${word}`
    if (measureWidth(longer) <= columns) row = longer
    else {
      if (row !== '') rows.push(row)
      const pieces = wrapRows(word, columns).map(({ text }) => text)
      row = pieces.pop() ?? ''
      rows.push(...pieces)
    }
  }
  return [...rows, row]
}

/** Indented lines are excerpts, tables and commands, except the fix below an excerpt and list items. */
const wrappableLine = /^(?!\s)(?!\d* \|)|^\s*[-=] /
/** A command to copy ends its line and stays in one piece. */
const wrapPieces = /(?<=:) argot [a-z]+ \S.*$|\s*\S+/g

/**
 * Wraps text for people between words, so that terminals don't break within a word. Excerpts, commands and addresses
 * stay in one piece.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map(line => wrapLine(line, Math.max(8, columns - 1)))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const plain = withoutStyles(line)
  if (measureWidth(plain) <= columns || !wrappableLine.test(plain)) return line
  const start = /^(?:\s+(?:[-=] )?|\S.{0,40}?\s{2,})/.exec(plain)?.[0] ?? ''
  const hang = ' '.repeat(measureWidth(start) > columns >> 1 ? 0 : measureWidth(start))
  const rows: string[] = []
  let row = ''
  for (const [piece] of line.matchAll(wrapPieces)) {
    if (row === '' || measureWidth(row + piece) <= columns) row += piece
    else {
      rows.push(row.trimEnd())
      row = hang + piece.trimStart()
    }
  }
  return [...rows, row].join('\n')
}
