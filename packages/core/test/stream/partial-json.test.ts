import { PartialJson } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'

function read(...pieces: string[]): PartialJson {
  const json = new PartialJson()
  for (const piece of pieces) json.push(piece)
  return json
}

describe('the value so far', () => {
  test.each<[string, unknown]>([
    ['', undefined],
    ['  ', undefined],
    ['{', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"', { a: '' }],
    ['{"a":"b', { a: 'b' }],
    ['{"a":"b\\', { a: 'b' }],
    ['{"a":"b\\u00', { a: 'b' }],
    ['{"a":"b\\u00e9', { a: 'bé' }],
    ['{"a":"\\ud83d', { a: '' }],
    ['{"a":"\\ud83d\\ude00', { a: '😀' }],
    ['{"a":"b","c":12', { a: 'b' }],
    ['{"a":"b","c":12,', { a: 'b', c: 12 }],
    ['{"a":tru', {}],
    ['{"a":true ', { a: true }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":[1,2]', { a: [1, 2] }],
    ['{"a":[[],{"b":[nul', { a: [[], { b: [] }] }],
    ['"top', 'top'],
    ['[1,"x', [1, 'x']],
    ['{"a":1}', { a: 1 }],
    ['{"a":1,"a":2}', { a: 2 }],
    ['-1.5e3 ', -1500],
  ])('of %s', (text, value) => {
    expect(read(text).value).toEqual(value)
    expect(read(...text).value).toEqual(value)
    expect(read(text).problem).toBeUndefined()
  })

  test('is kept in captures, whatever comes later', () => {
    const text = '{"a":[1,{"b":"xy\\n"},[]],"c":{"d":null}}'
    const json = new PartialJson()
    const captures = [...text].map(character => {
      json.push(character)
      return json.capture()
    })
    const late = captures.map(capture => capture.value)
    const live = [...text].map((_, index) => read(text.slice(0, index + 1)).value)
    expect(late).toEqual(live)
  })

  test('shares finished values between captures', () => {
    const json = read('{"list":[{"a":1},')
    const first = json.value as { list: unknown[] }
    json.push('{"b":2},')
    const second = json.value as { list: unknown[] }
    expect(second.list[0]).toBe(first.list[0])
  })

  test('holds __proto__ and constructor as ordinary keys', () => {
    const value = read('{"__proto__":{"x":1},"constructor":"c"}').value as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})

describe('malformed text', () => {
  test.each<[string, number, unknown]>([
    ['{"a":1,}', 7, { a: 1 }],
    ['{a:1}', 1, {}],
    ["{'a':1}", 1, {}],
    ['[1 2]', 3, [1]],
    ['[01]', 1, []],
    ['[1.]', 1, []],
    ['[True]', 1, []],
    ['[nulll]', 1, []],
    ['[undefined]', 1, []],
    ['{"a":"x\ny"}', 7, { a: 'x' }],
    ['{"a":"\\x"}', 7, { a: '' }],
    ['{"a":"\\u00g0"}', 10, { a: '' }],
    ['{"a" 1}', 5, {}],
    ['{} x', 3, {}],
    ['[1]]', 3, [1]],
    [']', 0, undefined],
    ['\ufeff{}', 0, undefined],
  ])('%s is reported at %i', (text, offset, value) => {
    for (const json of [read(text), read(...text)]) {
      expect(json.problem).toMatchObject({ kind: 'malformed', offset })
      expect(json.problem!.message).toMatch(/\.$/)
      expect(json.raw).toBe(text)
      expect(json.value).toEqual(value)
    }
    expect(() => JSON.parse(text)).toThrow()
  })

  test('text that ends too early is a problem only once it is over', () => {
    const json = read('{"a":[1')
    expect(json.problem).toBeUndefined()
    json.end()
    expect(json.problem).toMatchObject({ offset: 7 })
  })

  test('a number at the top is whole at the end', () => {
    const json = read('12', '3')
    expect(json.complete).toBe(false)
    json.end()
    expect([json.complete, json.value]).toEqual([true, 123])
  })

  test('nesting past 512 levels is reported, 512 is fine', () => {
    expect(read(`${'['.repeat(512)}${']'.repeat(512)}`).complete).toBe(true)
    expect(read('['.repeat(513)).problem).toMatchObject({ kind: 'depth', offset: 512 })
  })
})
