import { expect, test } from 'vitest'
import { cutOutput, cutValue } from '../../src/tool/output/cut-output.ts'

test('a text that fits stays as it is, to the last byte', () => {
  const text = 'ä'.repeat(192 * 1024)
  expect(cutOutput(text)).toBe(text)
  expect(cutOutput('')).toBe('')
})

test('a longer text is cut behind a line, and the notice says how much was left out', () => {
  const text = 'line\n'.repeat(10)
  expect(cutOutput(text, 23)).toBe(`${'line\n'.repeat(4)}[Cut here: 30 of 50 characters were left out.]`)
})

test('a long line is cut between two characters, whatever their size', () => {
  expect(cutOutput('ä'.repeat(10), 5)).toBe('ää\n[Cut here: 8 of 10 characters were left out.]')
  for (let limit = 0; limit < 20; limit++) {
    const kept = cutOutput('a😀ü\ud800b'.repeat(10), limit).split(/\n?\[Cut/)[0]!
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit)
    expect('a😀ü\ud800b'.repeat(10).startsWith(kept)).toBe(true)
    expect(kept).not.toMatch(/\ud83d$/)
  }
})

test('a line far in front does not take the rest of the text with it', () => {
  const cut = cutOutput(`a\n${'b'.repeat(1000)}`, 500)
  expect(cut.startsWith(`a\n${'b'.repeat(498)}\n[Cut`)).toBe(true)
})

test('small values come out equal, and what JSON leaves out is left out', () => {
  const value = { a: [1, 'x', null, true, { b: 1.5 }], c: '', d: undefined, e: () => 1, f: Symbol('f'), g: [undefined] }
  expect(cutValue(value)).toEqual({ a: [1, 'x', null, true, { b: 1.5 }], c: '', g: [null] })
  expect(cutValue(undefined)).toBeNull()
  expect(cutValue(() => 1)).toBeNull()
  expect(cutValue([Number.NaN, Number.POSITIVE_INFINITY])).toEqual([null, null])
  expect(cutValue({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' })
})

test('names from a prototype are ordinary names', () => {
  const copy = cutValue(JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'))
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1},"constructor":2}')
  expect(({} as { x?: number }).x).toBeUndefined()
})

/** About as large as the limit says, with a notice for each level at most. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

test.each([
  ['a string of 100 MB', () => 'x'.repeat(100_000_000)],
  ['a string of 100 MB in an object', () => ({ a: { b: ['x'.repeat(100_000_000)] }, c: 1 })],
  ['many strings', () => Array.from({ length: 100_000 }, () => 'x'.repeat(1000))],
  ['a list with 10 million holes', () => new Array(10_000_000)],
  ['many empty lists', () => Array.from({ length: 300_000 }, () => [])],
  ['an object with many names', () => Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`name ${i}`, i]))],
  ['a very long name', () => ({ ['x'.repeat(5_000_000)]: 1 })],
  ['many objects with long names', () => Array.from({ length: 2000 }, (_, i) => ({ [`${'x'.repeat(5000)}${i}`]: 1 }))],
  ['bytes', () => ({ bytes: Buffer.alloc(50_000_000), more: new ArrayBuffer(10) })],
  ['a large integer', () => 2n ** 1_000_000n],
])('%s does not come out larger than the limit', (_, make) => {
  const cut = cutValue(make())
  expect(sizeOf(cut)).toBeLessThan(384 * 1024 * 1.5 + 1000)
})

test('what was left out of a list and an object is said', () => {
  expect(cutValue(['x'.repeat(60), 'y', 'z'], 50)).toEqual([
    expect.stringMatching(/^x{48}\n\[Cut here: 12 of 60 characters were left out.\]$/),
    '[Cut here: 2 of 3 items were left out.]',
  ])
  expect(cutValue({ a: 'x'.repeat(60), b: 1 }, 50)).toEqual({
    a: expect.stringContaining('[Cut here'),
    '…': '[Cut here: 1 of 2 fields were left out.]',
  })
})

test('a value that contains itself, or is nested too deeply, ends in a notice', () => {
  const circle: { name: string; self?: unknown; list: unknown[] } = { name: 'a', list: [] }
  circle.self = circle
  circle.list.push(circle)
  const notice = '[Cut here: this contains itself.]'
  expect(cutValue(circle)).toEqual({ name: 'a', self: notice, list: [notice] })
  let deep: unknown = 'end'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(JSON.stringify(cutValue(deep))).toContain('nested more than 64 levels deep')
})

test('the same object twice is not a circle, and a wide web of objects does not explode', () => {
  const shared = { x: 1 }
  expect(cutValue([shared, shared])).toEqual([{ x: 1 }, { x: 1 }])
  let web: unknown = {}
  for (let level = 0; level < 60; level++) web = { a: web, b: web, c: web }
  expect(sizeOf(cutValue(web))).toBeLessThan(2 * 384 * 1024)
})

test('getters, proxies and toJSON may do what they like', () => {
  const revoked = Proxy.revocable([], {})
  revoked.revoke()
  const hostile = {
    get getter(): never {
      throw new Error('no')
    },
    big: 12n,
    json: {
      toJSON(): never {
        throw new Error('no')
      },
    },
    itself: {
      toJSON() {
        return this
      },
      x: 1,
    },
    revoked: revoked.proxy,
    keys: new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no')
        },
      },
    ),
    endless: new Proxy([], { get: (_, name) => (name === 'length' ? Number.POSITIVE_INFINITY : 'x'.repeat(1000)) }),
  }
  const cut = cutValue(hostile) as Record<string, unknown>
  const unreadable = '[This value could not be read.]'
  expect(cut).toMatchObject({ getter: unreadable, big: '12', json: unreadable, itself: { x: 1 }, revoked: unreadable })
  expect(cut.keys).toBe(unreadable)
  expect(sizeOf(cut)).toBeLessThan(2 * 384 * 1024)
})

test('the copy does not change with the original', () => {
  const original = { list: [1] }
  const copy = cutValue(original)
  original.list.push(2)
  expect(copy).toEqual({ list: [1] })
})
