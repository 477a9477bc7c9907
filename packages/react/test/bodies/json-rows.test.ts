import { expect, test } from 'vitest'
import { jsonRows } from '../../src/bodies/json/json-rows.ts'
import { jsonText } from '../../src/bodies/json/json-text.ts'
import { describeKey, toPairs } from '../../src/bodies/json/pairs-body.tsx'

const show = (value: unknown, toggled: string[] = []) =>
  [...jsonRows(value, new Set(toggled))].map(
    ({ depth, name, kind, count, isOpen, text }) =>
      `${'  '.repeat(depth)}${name}${kind === 'leaf' ? `: ${text}` : ` ${kind} ${count}${isOpen ? ' open' : ''}`}`,
  )

test('two levels are open, in the second only the first', () => {
  expect(show({ files: [{ name: 'a' }, { name: 'b' }], done: true })).toEqual([
    'files list 2 open',
    '  0 object 1 open',
    '    name: a',
    '  1 object 1',
    'done: true',
  ])
})

test('what was toggled is the other way', () => {
  expect(show({ files: [{ name: 'a' }] }, ['/files'])).toEqual(['files list 1'])
  expect(show({ a: { b: { c: 1 } } }, ['/a/b'])).toEqual(['a object 1 open', '  b object 1'])
})

test('names of prototypes are ordinary', () => {
  const value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"a/b":{"~":3}}') as unknown
  expect(show(value)).toEqual(['__proto__ object 1 open', '  a: 1', 'constructor: 2', 'a/b object 1 open', '  ~: 3'])
})

test('a value that is very deep has an end', () => {
  let value: unknown = 1
  for (let depth = 0; depth < 10_000; depth++) value = [value]
  const paths = Array.from({ length: 200 }, (_, depth) => '/0'.repeat(depth + 1))
  expect(show(value, paths.slice(2)).length).toBeLessThan(100)
})

test('only a small flat object is two columns', () => {
  expect(toPairs({ a: 1, b: 'x', c: null })).toEqual([
    ['a', '1'],
    ['b', 'x'],
    ['c', 'null'],
  ])
  expect(toPairs({ a: [] })).toBeUndefined()
  expect(toPairs({})).toBeUndefined()
  expect(toPairs([1])).toBeUndefined()
  expect(toPairs({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 })).toBeUndefined()
  expect(toPairs({ a: 'two\nlines' })).toBeUndefined()
})

test('keys are said in words', () => {
  expect(['first_line', 'zeroBased', 'url', '_'].map(describeKey)).toEqual(['first line', 'zero based', 'url', '_'])
})

test('what is copied is the value', () => {
  expect(jsonText('a "b"')).toBe('a "b"')
  expect(jsonText({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(jsonText(undefined)).toBe('undefined')
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(jsonText(circle)).toBe('[object Object]')
})
