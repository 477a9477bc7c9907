import { expect, test } from 'vitest'
import { cutEnd, cutStart, measureWidth } from '../src/io/width.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['ｆ', 2],
  ['🎉', 2],
  ['❤\ufe0f', 2],
  ['\u200b', 0],
  ['\xad', 1],
  ['\x1b[1mab\x1b[22m', 2],
])('gives %j its columns', (characters, columns) => {
  expect(measureWidth(characters)).toBe(columns)
})

test.each([
  ['abcdef', 6, 'abcdef', 'abcdef'],
  ['abcdef', 5, 'abcd…', '…cdef'],
  ['日本語', 5, '日本…', '…本語'],
  ['日本語', 4, '日…', '…語'],
  ['a🎉b', 3, 'a…', '…b'],
  ['abc', 0, '', ''],
])('cuts %j to %i columns', (characters, columns, start, end) => {
  expect([cutEnd(characters, columns), cutStart(characters, columns)]).toEqual([start, end])
})
