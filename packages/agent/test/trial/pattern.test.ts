import { describe, expect, test } from 'vitest'
import { containsText } from '../../src/trial/contains-text.ts'
import { examplePattern, matchesPattern, patternProblem } from '../../src/trial/pattern.ts'

describe('a pattern', () => {
  test.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 1 }],
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
    [{ $any: true }, { anything: [] }],
    [{ a: { $optional: 3 } }, {}],
    [{ a: { $optional: 3 } }, { a: 3 }],
    [{ $text: 'Big  order' }, ' big order\n'],
    [{ $contains: 'OSLO' }, 'in Oslo, Norway'],
    [{ $lines: 'a\n  b' }, '\n\na\r\n  b\n'],
    [{ $oneOf: [1, { $text: 'one' }] }, 'ONE'],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])('%j matches %j', (pattern, value) => expect(matchesPattern(pattern, value)).toBe(true))

  test.each<[unknown, unknown]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{}, []],
    [[], {}],
    [{ a: 1 }, null],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [{ a: { $optional: 3 } }, { a: 4 }],
    [{ $text: 'order' }, 'big order'],
    [{ $contains: 'Oslo' }, 5],
    [{ $lines: 'a\n  b' }, 'a\nb'],
    [{ $oneOf: [1, 2] }, 3],
    [{}, JSON.parse('{"__proto__":1}')],
    [{ constructor: 1 }, {}],
  ])('%j does not match %j', (pattern, value) => expect(matchesPattern(pattern, value)).toBe(false))

  test.each<[unknown, string]>([
    [{ $text: 3 }, '`$text` must be a non-empty string'],
    [{ $any: 1 }, '`$any` must be true'],
    [{ a: [{ $lik: 1 }] }, 'there is no matcher `$lik`'],
    [{ $oneOf: [{ $any: false }] }, '`$oneOf` `$any` must be true'],
  ])('%j is refused', (pattern, problem) => expect(patternProblem(pattern)).toContain(problem))

  test('matches its own example', () => {
    const pattern = {
      a: { $optional: { $oneOf: [{ $text: 'x' }, 2] } },
      b: [{ $contains: 'y' }, { $lines: 'z' }],
      c: {},
    }
    expect(examplePattern(pattern)).toEqual({ a: 'x', b: ['y', 'z'], c: {} })
    expect(matchesPattern(pattern, examplePattern(pattern))).toBe(true)
  })
})

describe('an answer', () => {
  test.each([
    ['It is **17** degrees.', '17'],
    ['17', '17'],
    ['That makes 1,234,567 euros.', '1234567'],
    ['That makes 1234567 euros.', '1,234,567'],
    ['It is 17.', '17'],
    ['“PARIS”, of course', 'Paris'],
    ['It’s mira\nvoss!', 'Mira Voss'],
    ['first 140, then 40', '40'],
    ['おはようございます。', 'おはようございます'],
    ['call get_weather', 'get_weather'],
  ])('%j has %j', (answer, text) => expect(containsText(answer, text)).toBe(true))

  test.each([
    ['It is 17.5 degrees.', '17'],
    ['It is 0.17 degrees.', '17'],
    ['in 2017', '17'],
    ['It is 140.', '40'],
    ['Parisian', 'Paris'],
    ['', 'x'],
  ])('%j does not have %j', (answer, text) => expect(containsText(answer, text)).toBe(false))
})
