import { hermes, parse } from '@argot/core/syntax'
import { joinDeltas } from '@argot/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { same } from '../stream/laws.ts'

/** A call of `t` with these arguments, as they are written. */
const t = (json: string) => `<tool_call>\n{"name": "t", "arguments": ${json}}\n</tool_call>`

/** The chunks of a text, after a check that every cut gives the same. */
function parseCut(source: string) {
  const chunks = parse(hermes, source, { integers: 'round' })
  const whole = JSON.stringify(joinDeltas(chunks))
  for (let at = 1; at < source.length; at++) {
    const parser = hermes.parser({ integers: 'round' })
    const cut = [...parser.push(source.slice(0, at)), ...parser.push(source.slice(at)), ...parser.end()]
    same(JSON.stringify(joinDeltas(cut)), whole)
  }
  return chunks
}

test.each<[string, string, unknown, string[]]>([
  ['python-literals', t('{"a": True, "b": [False, None]}'), { a: true, b: [false, null] }, ['python-literals']],
  [
    'single quotes',
    `<tool_call>{'name': 't', 'arguments': {'a': 'say "hi"', 'b': 'it\\'s'}}</tool_call>`,
    { a: 'say "hi"', b: "it's" },
    ['single-quotes'],
  ],
  ['a comma behind the last member', t('{"a": [1, 2, ], }'), { a: [1, 2] }, ['trailing-comma']],
  [
    'a comma behind the last member of the call',
    '<tool_call>{"name": "t", "arguments": {"a": 1},}</tool_call>',
    { a: 1 },
    ['trailing-comma'],
  ],
  ['raw line breaks in a string', t('{"a": "x\ny\tz\r\n"}'), { a: 'x\ny\tz\r\n' }, ['control-characters']],
  [
    'keys without quotes',
    '<tool_call>{name: "t", arguments: {a: 1, b-c: 2}}</tool_call>',
    { a: 1, 'b-c': 2 },
    ['unquoted-keys'],
  ],
  ['escapes that JSON does not know', t('{"a": "\\d+\\.\\\'\\u12"}'), { a: "\\d+\\.'\\u12" }, ['unknown-escapes']],
  ['arguments within a string', t('"{\\"a\\": \\"x\\\\ny\\"}"'), { a: 'x\ny' }, ['arguments-in-a-string']],
  [
    'repairs within a string',
    t('"{\'a\': True}"'),
    { a: true },
    ['arguments-in-a-string', 'single-quotes', 'python-literals'],
  ],
  ['an empty string for arguments', t('""'), {}, ['arguments-not-an-object']],
  ['`null` for arguments', t('null'), {}, ['arguments-not-an-object']],
  ['a bracket too many', '<tool_call>{"name": "t", "arguments": {"a": 1}}}</tool_call>', { a: 1 }, ['extra-bracket']],
  [
    'a missing closing tag before the next call',
    `<tool_call>{"name": "t", "arguments": {"a": 1}}\n${t('{"a": 2}')}`,
    { a: 1 },
    ['call-not-closed'],
  ],
])('repairs %s, and says so', (_, source, input, repaired) => {
  const chunks = parseCut(source)
  const call = chunks.find(chunk => chunk.type === 'tool-input-available')
  expect(call).toMatchObject({ toolName: 't', input, providerMetadata: { argot: { repaired } } })
  const id = chunks.find(chunk => chunk.type === 'tool-input-start')?.toolCallId
  const deltas = chunks.map(chunk =>
    chunk.type === 'tool-input-delta' && chunk.toolCallId === id ? chunk.inputTextDelta : '',
  )
  expect(JSON.parse(deltas.join(''))).toEqual(input)
})

/** A value as a careless writer puts it down: blanks anywhere, Python's literals, either quote, commas too many. */
function careless(value: unknown, pick: (n: number) => number): string {
  const gap = () => ['', '', ' ', '\n', '\r\n\t'][pick(5)] ?? ''
  const list = (items: string[], open: string, close: string) =>
    `${open}${gap()}${items.map(item => item + gap()).join(`,${gap()}`)}${items.length > 0 && pick(3) === 0 ? `,${gap()}` : ''}${close}`
  if (typeof value === 'string') return quoted(value, pick)
  if (Array.isArray(value))
    return list(
      value.map(item => careless(item, pick)),
      '[',
      ']',
    )
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => {
      const name = /^[A-Za-z_]\w*$/.test(key) && pick(3) === 0 ? key : quoted(key, pick)
      return `${name}${gap()}:${gap()}${careless(member, pick)}`
    })
    return list(members, '{', '}')
  }
  const json = JSON.stringify(value)
  if (pick(2) === 0) return json
  return json === 'true' ? 'True' : json === 'false' ? 'False' : json === 'null' ? 'None' : json
}

function quoted(text: string, pick: (n: number) => number): string {
  const json = JSON.stringify(text)
  if (pick(3) === 0) return json.replaceAll('\\n', '\n')
  if (pick(3) > 0) return json
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

test('whatever a careless writer makes of an input is read as that input, with every cut', () => {
  const inputs = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), {
    maxKeys: 4,
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(inputs, fc.array(fc.nat(1000), { minLength: 50, maxLength: 50 }), (value, numbers) => {
      let count = 0
      const pick = (n: number) => (numbers[count++ % numbers.length] ?? 0) % n
      // Without backslashes, so that `quoted` can tell an escape from what stands behind one.
      const input = JSON.parse(JSON.stringify(value).replaceAll('\\\\', '/')) as Record<string, unknown>
      const source = t(careless(input, pick))
      const chunks = source.length < 400 ? parseCut(source) : parse(hermes, source, { integers: 'round' })
      const call = chunks.at(-1)
      expect(call?.type === 'tool-input-available' && { ...(call.input as object) }).toEqual(input)
      const deltas = chunks.map(chunk => (chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : ''))
      expect(JSON.parse(deltas.join(''))).toEqual(input)
    }),
    { numRuns: shareOf(500), seed: 7, endOnFailure: true },
  )
})
