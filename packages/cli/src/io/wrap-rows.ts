import { measureWidth, widthOfCharacter, withoutStyles } from './width.ts'

/** The rows of a text that has no hidden characters but line feeds, each at most `columns` wide. At most `limit` rows. */
export function wrapRows(text: string, columns: number, limit: number = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = []
  let start = 0
  let at = 0
  let width = 0
  for (const character of text) {
    const isEnd = character === '\n'
    const next = isEnd ? 0 : widthOfCharacter(character)
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

/** A row of a text, and where in the text it begins and ends. */
export interface Row {
  text: string
  start: number
  end: number
}

/** The rows of a sentence, broken at blanks where there are some. */
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

/** Indented lines are pictures, tables and commands, apart from the cure below a picture and the items of a list. */
const wrapped = /^(?!\s)(?!\d* \|)|^\s*[-=] /
/** A command to copy ends its line: in one piece, it can be copied. */
const pieces = /(?<=:) argot [a-z]+ \S.*$|\s*\S+/g

/**
 * A text for people whose lines break between words, so that no terminal breaks them within one. What must stay in one piece
 * does: a picture of a line, a command, an address.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map(line => wrapLine(line, Math.max(8, columns - 1)))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const plain = withoutStyles(line)
  if (measureWidth(plain) <= columns || !wrapped.test(plain)) return line
  const start = /^(?:\s+(?:[-=] )?|\S.{0,40}?\s{2,})/.exec(plain)?.[0] ?? ''
  const hang = ' '.repeat(measureWidth(start) > columns >> 1 ? 0 : measureWidth(start))
  const rows: string[] = []
  let row = ''
  for (const [piece] of line.matchAll(pieces)) {
    if (row === '' || measureWidth(row + piece) <= columns) row += piece
    else {
      rows.push(row.trimEnd())
      row = hang + piece.trimStart()
    }
  }
  return [...rows, row].join('\n')
}
