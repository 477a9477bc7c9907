import { expect, test } from 'vitest'
import { findBareTitles } from './find-titles.ts'

function titles(text: string): string[] {
  return findBareTitles('a.test.ts', text).map(({ line, title }) => `${line} ${title}`)
}

test.each([
  ["test.each(rows)('%s', () => {})", ['1 %s']],
  ["\ntest.each([\n  ['a'],\n])('refuses %s', () => {})", ['4 refuses %s']],
  ["it.skipIf(a).for(rows)('$name', () => {})", ['1 $name']],
  ["describe('a', () => {})\ntest.each(rows)('reads %s', () => {})", ['2 reads %s']],
  ["test.each(rows)('tells %s', () => {})", ['1 tells %s']],
  ['test.each(rows)(`%s`, () => {})', ['1 %s']],
  ["test.each(rows)('%s: %s', () => {})", ['1 %s: %s']],
  ["describe.each(rows)('%s', () => test.each(more)('refuses %s', () => {}))", ['1 refuses %s']],
])('findBareTitles finds a title without a subject in %j', (text, expected) => {
  expect(titles(text)).toEqual(expected)
})

test.each([
  ["test.each(rows)('apply_patch refuses %s', () => {})"],
  ["test.each(rows)('%s is waited for', () => {})"],
  ["describe('a lock', () => test.each(rows)('refuses %s', () => {}))"],
  ["describe.each(rows)('%s', () => test('is read', () => {}))"],
  ["other.each(rows)('%s', () => {})"],
])('findBareTitles lets pass %j', text => {
  expect(titles(text)).toEqual([])
})
