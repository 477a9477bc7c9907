import { PartialJson } from '@argot/core/stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import type { JsonProblem } from '../../src/stream/json/partial-json.ts'
import { cases, same } from './laws.ts'

const anyKey = fc.constantFrom('a', 'b', '', '__proto__', 'constructor', '0', '"', '\ud83d\ude00')

const { value: anyJson } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(true, false, null, 0, -1.5, 1e21, '', 'text', '\u0000\n"\\/', '👩‍👧', '\ud800', '\udc00x'),
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 }).map(entries => Object.fromEntries(entries)),
  ),
}))

/** The value as JSON text, written in one of several ways. */
const anyText = fc.tuple(anyJson, fc.nat(3)).map(([value, style]) => {
  const text = JSON.stringify(value)
  if (style === 1) return JSON.stringify(value, null, 2)
  if (style === 2) return ` \t\r\n${text}\n `
  return style === 3 ? escapeEverything(text) : text
})

/** Every character of every string as `\uXXXX`. */
function escapeEverything(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, quoted => {
    const units = (JSON.parse(quoted) as string).split('')
    return `"${units.map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
  })
}

const anyPlaces = fc.array(fc.nat(400), { maxLength: 8 })

function cut(text: string, places: readonly number[]): string[] {
  const sorted = places.map(place => place % (text.length + 1)).sort((a, b) => a - b)
  return [0, ...sorted].map((start, i) => text.slice(start, sorted[i] ?? text.length))
}

function readAll(pieces: readonly string[]): PartialJson {
  const json = new PartialJson()
  for (const piece of pieces) json.push(piece)
  json.end()
  return json
}

/** `JSON.parse` drops nothing and repairs nothing, so the reader may not either. */
function parse(text: string): { value?: unknown; fails: boolean } {
  try {
    return { value: JSON.parse(text), fails: false }
  } catch {
    return { fails: true }
  }
}

test('JSON cut anywhere gives what JSON.parse gives', () => {
  fc.assert(
    fc.property(anyText, anyPlaces, (text, places) => {
      const json = readAll(cut(text, places))
      expect(json.problem).toBeUndefined()
      same(json.value, JSON.parse(text))
    }),
    { numRuns: cases },
  )
})

test('JSON with repeated keys gives what JSON.parse gives', () => {
  const anyEntries = fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__'), anyJson), { maxLength: 5 })
  fc.assert(
    fc.property(anyEntries, anyPlaces, (entries, places) => {
      const text = `{${entries.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',')}}`
      same(readAll(cut(text, places)).value, JSON.parse(text))
    }),
    { numRuns: cases },
  )
})

/**
 * `early` is a beginning of `late`: a string is its beginning, a list has its first items and only the last of them may
 * still grow, an object has some of its keys and only the newest of them may still grow. Scalars are whole or absent.
 */
function isBeginning(early: unknown, late: unknown): boolean {
  if (early === undefined) return true
  if (typeof early === 'string') return typeof late === 'string' && late.startsWith(early)
  if (Array.isArray(early)) {
    if (!Array.isArray(late) || early.length > late.length) return false
    return early.every((item, i) => (i < early.length - 1 ? equal(item, late[i]) : isBeginning(item, late[i])))
  }
  if (typeof early !== 'object' || early === null) return Object.is(early, late)
  if (typeof late !== 'object' || late === null || Array.isArray(late)) return false
  const unfinished = Object.entries(early).filter(
    ([key, item]) => !Object.hasOwn(late, key) || !equal(item, own(late, key)),
  )
  return (
    unfinished.length <= 1 &&
    unfinished.every(([key, item]) => Object.hasOwn(late, key) && isBeginning(item, own(late, key)))
  )
}

function own(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

test('after every character the value so far is a beginning of the final value', () => {
  fc.assert(
    fc.property(anyText, text => {
      const final: unknown = JSON.parse(text)
      const json = new PartialJson()
      let before: unknown
      for (const character of text.split('')) {
        json.push(character)
        const now = json.value
        if (!isBeginning(now, final)) throw new Error(`${JSON.stringify(now)} is not a beginning of ${text}`)
        if (!isBeginning(before, now))
          throw new Error(`${JSON.stringify(now)} does not go on from ${JSON.stringify(before)}`)
        before = now
      }
    }),
    { numRuns: cases },
  )
})

const anyMutation = fc.record({
  at: fc.nat(200),
  remove: fc.nat(2),
  insert: fc.constantFrom(
    '',
    '"',
    '}',
    ']',
    ',',
    ':',
    '\\',
    'x',
    '0',
    '-',
    '\n',
    ' ',
    '[',
    '{',
    'u',
    '.',
    'e',
    '\u0000',
    'null',
  ),
})

const anyBrokenText = fc.tuple(anyText, fc.array(anyMutation, { maxLength: 3 })).map(([text, mutations]) =>
  mutations.reduce((broken, { at, remove, insert }) => {
    const place = at % (broken.length + 1)
    return broken.slice(0, place) + insert + broken.slice(place + remove)
  }, text),
)

test('a text is refused exactly when JSON.parse refuses it, at the same offset however it is cut', () => {
  fc.assert(
    fc.property(anyBrokenText, anyPlaces, (text, places) => {
      const whole = readAll([text])
      const pieces = readAll(cut(text, places))
      const single = readAll(text.split(''))
      const { fails, value } = parse(text)
      expect(whole.problem !== undefined, text).toBe(fails)
      same(pieces.problem, whole.problem)
      same(single.problem, whole.problem)
      same(pieces.value, whole.value)
      same(single.value, whole.value)
      expect([whole.raw, pieces.raw, single.raw]).toEqual([text, text, text])
      if (!fails) same(whole.value, value)
      else expectOffset(text, whole.problem!)
    }),
    { numRuns: cases },
  )
})

/** Everything before the offset can still become JSON; with the token at the offset it cannot. */
function expectOffset(text: string, problem: JsonProblem): void {
  expect(problem.offset).toBeGreaterThanOrEqual(0)
  expect(problem.offset).toBeLessThanOrEqual(text.length)
  const before = new PartialJson()
  before.push(text.slice(0, problem.offset))
  expect(before.problem, `before ${problem.offset} of ${text}`).toBeUndefined()
}

test('a value taken at any character and read only at the end shows what it showed then', () => {
  fc.assert(
    fc.property(anyBrokenText, text => {
      const late = new PartialJson()
      const early = new PartialJson()
      const captures = text.split('').map(character => {
        late.push(character)
        early.push(character)
        return { capture: late.capture(), shown: JSON.stringify(early.value) }
      })
      late.end()
      for (const { capture, shown } of captures) same(JSON.stringify(capture.value), shown)
      expect(captures.every(({ capture }) => Object.is(capture.value, capture.value))).toBe(true)
    }),
    { numRuns: cases },
  )
})

test('a value taken at any character stays, with repeated keys and while the live value is read in between', () => {
  const anyEntries = fc.array(fc.tuple(fc.constantFrom('a', 'b', '1', '__proto__', 'constructor'), anyJson), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(anyEntries, anyEntries, fc.nat(3), (entries, inner, every) => {
      const object = `{${inner.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',')}}`
      const text = `{${entries.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',')}}`.replace(
        /"a":/g,
        `"b":[${object}],"a":`,
      )
      const json = new PartialJson()
      const captures: { capture: ReturnType<PartialJson['capture']>; shown: string }[] = []
      for (const [index, character] of text.split('').entries()) {
        json.push(character)
        captures.push({ capture: json.capture(), shown: JSON.stringify(readSoFar(text.slice(0, index + 1))) })
        if (every > 0 && index % every === 0) json.value
        const recent = captures[index - 4]
        if (recent !== undefined && index % 2 === 0) same(JSON.stringify(recent.capture.value), recent.shown)
      }
      for (const { capture, shown } of captures) same(JSON.stringify(capture.value), shown)
      same(json.value, JSON.parse(text))
    }),
    { numRuns: shareOf(2000) },
  )
})

/** What a reader of its own shows of a text. */
function readSoFar(text: string): unknown {
  const json = new PartialJson()
  json.push(text)
  return json.value
}
