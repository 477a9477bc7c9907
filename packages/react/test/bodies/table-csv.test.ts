import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCsv } from '../../src/bodies/markdown/table-csv.ts'

/** Reads CSV as RFC 4180 says. */
function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (text[at] !== '"') cell += text[at]
        else if (text[at + 1] === '"') cell += text[at++]
        else break
      }
      at++
    } else while (at < text.length && !',\r'.includes(text[at]!)) cell += text[at++]
    row.push(cell)
    if (text[at] === ',') at++
    else {
      rows.push(row)
      row = []
      at += 2
    }
  }
  return rows
}

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', ',', '\r', '\n', '=', '+', '-', '@', '1', ' ', 'a', '\t', "'"),
    maxLength: 8,
  }),
)

test('law: no character of a table is lost, and no cell is one that a spreadsheet would run', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), rows => {
      const read = readCsv(toCsv(rows))
      expect(read.length).toBe(rows.length)
      for (const [at, row] of rows.entries()) {
        for (const [place, text] of row.entries()) {
          const copied = read[at]![place]!
          expect([text, `'${text}`]).toContain(copied)
          if (/^\s*[=@]\s*\S/.test(copied)) throw new Error(`A formula: ${JSON.stringify(copied)}`)
          if (/^\s*[+-]/.test(copied) && /[a-z("=@]/i.test(copied)) throw new Error(`A formula: ${copied}`)
        }
      }
    }),
  )
})

test.each([
  ['plain', 'plain'],
  ['a, b', '"a, b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['-', '-'],
  ['-5', '-5'],
  ['+3.5 %', '+3.5 %'],
  ['-1 234,50', '"-1 234,50"'],
  ['=1+1', `"'=1+1"`],
  ['+49 (0) 30', `"'+49 (0) 30"`],
  ['-2+3', `"'-2+3"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['- item', `"'- item"`],
])('%j is copied as %s', (text, field) => {
  expect(toCsv([[text]])).toBe(`${field}\r\n`)
})
