import { expect, test } from 'vitest'
import { byteLength, countLines, cutPayload, firstLines, lastLines } from '../../src/bodies/text/cut-text.ts'
import { textBlocks } from '../../src/bodies/text/text-blocks.ts'

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['\n\n', 2],
])('%j has %i lines', (text, count) => {
  expect(countLines(text)).toBe(count)
})

test('gives the first and the last lines', () => {
  const text = 'a\nb\nc\nd\n'
  expect(firstLines(text, 2, 100)).toBe('a\nb')
  expect(lastLines(text, 2, 100)).toBe('c\nd')
  expect(firstLines(text, 9, 100)).toBe('a\nb\nc\nd')
  expect(lastLines(text, 9, 100)).toBe('a\nb\nc\nd')
})

test('cuts a line without end', () => {
  expect(firstLines('x'.repeat(1000), 20, 10)).toBe('x'.repeat(10))
  expect(lastLines('x'.repeat(1000), 20, 10)).toBe('x'.repeat(10))
})

test('cuts no character in half', () => {
  const text = '😀'.repeat(100)
  expect(firstLines(text, 1, 11).isWellFormed()).toBe(true)
  expect(lastLines(text, 1, 11).isWellFormed()).toBe(true)
})

test('keeps the first 100 kB of what is complete', () => {
  const { head, tail, hidden } = cutPayload('x'.repeat(150_000), false)
  expect([head.length, tail.length, hidden]).toEqual([100_000, 0, 50_000])
})

test('keeps the first 2 kB and the newest 98 kB of what still grows', () => {
  const { head, tail, hidden } = cutPayload(`${'a'.repeat(100_000)}${'z'.repeat(50_000)}`, true)
  expect([head.length, tail.length, hidden]).toEqual([2000, 98_000, 50_000])
  expect(tail.endsWith('z')).toBe(true)
})

test.each(['abc', 'äöü', '€uro', '😀', 'a😀é'])('counts the bytes of %s', text => {
  expect(byteLength(text)).toBe(new TextEncoder().encode(text).length)
})

test.each([
  ['short', 'a\nb'],
  ['of many lines', 'line\n'.repeat(1000)],
  ['of one endless line', 'x'.repeat(90_000)],
  ['of blank lines', '\n'.repeat(500)],
])('a text %s is all in its blocks', (_, text) => {
  const blocks = textBlocks(text)
  expect(blocks.every(block => block.length <= 20_000)).toBe(true)
  expect(blocks.join('').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''))
})
