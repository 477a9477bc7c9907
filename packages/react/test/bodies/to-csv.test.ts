import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toCsv } from '../../src/bodies/to-csv.ts'

describe('a table as CSV', () => {
  test('quotes only where it must', () => {
    expect(toCsv([['a', 'b c', 'd,e', 'say "hi"', 'two\nlines', ' padded']])).toBe(
      'a,b c,"d,e","say ""hi""","two\nlines"," padded"\r\n',
    )
  })

  test('writes nothing for what is missing, and JSON for what is nested', () => {
    expect(toCsv([[undefined, null, true, 1.5, -2, { a: [1] }]])).toBe(',,true,1.5,-2,"{""a"":[1]}"\r\n')
  })

  test('gives a spreadsheet no formula to run', () => {
    expect(toCsv([['=1+1', '@sum', '-2+3', '+x', '-12.5', '\tx', ' ＝a', '-1,5 %']])).toBe(
      `'=1+1,'@sum,'-2+3,'+x,-12.5,'\tx,' ＝a,"-1,5 %"\r\n`,
    )
  })

  test('law: what is written is read again, cell by cell', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ü', ',', '"', '\n', '\r', ' ', '1') })
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), rows => {
        const read = readCsv(toCsv(rows)).map(row => row.map(text => text.replace(/^'(?=[\t\r])/, '')))
        expect(read).toEqual(rows)
      }),
      { numRuns: 200 },
    )
  })
})

function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const match of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    const [, cell = '', end] = match
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
