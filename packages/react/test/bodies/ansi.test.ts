import { plainLines } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { parseAnsi } from '../../src/bodies/text/ansi.ts'

const esc = '\u001b'
const text = (source: string) =>
  parseAnsi(source)
    .map(piece => piece.text)
    .join('')

test.each([
  ['a colour', `${esc}[31mred${esc}[0m`, [{ text: 'red', classes: ['red'] }]],
  ['a bright colour', `${esc}[92mgreen`, [{ text: 'green', classes: ['green'] }]],
  ['a colour of 256', `${esc}[38;5;196mred`, [{ text: 'red', classes: ['red'] }]],
  ['a colour of red, green and blue', `${esc}[38;2;20;200;30mgreen`, [{ text: 'green', classes: ['green'] }]],
  [
    'bold and dim',
    `${esc}[1mb${esc}[22m${esc}[2md`,
    [
      { text: 'b', classes: ['bold'] },
      { text: 'd', classes: ['dim'] },
    ],
  ],
  [
    'a ground as the colour of its text',
    `${esc}[41;37m FAIL ${esc}[m!`,
    [
      { text: ' FAIL ', classes: ['red', 'bold'] },
      { text: '!', classes: [] },
    ],
  ],
])('output of a program shows %s', (_, source, pieces) => {
  expect(parseAnsi(source)).toEqual(pieces)
})

test.each([
  ['movements of the cursor', `a${esc}[2Kb${esc}[10;20Hc`, 'abc'],
  ['titles', `${esc}]0;title\u0007a`, 'a'],
  ['links', `${esc}]8;;https://example.com${esc}\\a${esc}]8;;${esc}\\`, 'a'],
  ['other control characters', 'a\u0000b\u0007c', 'abc'],
])('leaves out %s', (_, source, expected) => {
  expect(text(source)).toBe(expected)
})

test('shows a line that was drawn over as it was drawn last', () => {
  expect(text('10 %\r50 %\r100 %\ndone\r\n')).toBe('100 %\ndone\n')
})

test('keeps a line whose return is followed by nothing', () => {
  expect(text('50 %\r')).toBe('50 %')
})

test('a row shows the lines that the terminal shows', () => {
  const unit = fc.constantFrom('a', 'b', ' ', '\r', '\r', '\n', '\r\n', `${esc}[31m`, `${esc}[2K`)
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), source => {
      expect(plainLines(source)).toEqual(
        text(source)
          .split('\n')
          .filter(line => line.trim() !== ''),
      )
    }),
    { numRuns: shareOf(1000) },
  )
})

test('takes a character back', () => {
  expect(text('ab\bc')).toBe('ac')
})

test('a sequence that never ends takes nothing else with it', () => {
  expect(text(`a${esc}[31`)).toBe('a31')
  expect(text(`a${esc}]0;title`)).toBe('a')
})
