import type { JsonSchema, ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import type { Random } from './random.ts'

export interface CaseGenerator {
  /** A tool, and a call of it whose input fits its schema. */
  call(): { tool: ToolDefinition; call: CallToWrite }
  /** A call with only string values, for readers without a schema. */
  stringCall(): CallToWrite
  /** A call of plain words, which can't be mistaken for Markdown. */
  plainCall(): CallToWrite
  /** Ordinary prose. It contains nothing that hides a call, and ends in a line break. */
  prose(): string
  /** Prose, calls and pieces of calls, in any order. */
  text(format: (call: CallToWrite) => string): string
  result(): ToolResult
}

const names = [
  'a',
  'path',
  'paths',
  'content',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'a.b',
  'a-b',
  'x_1',
  '-',
  '--',
  '9',
  'toString',
  'note',
  'items',
]
const toolNames = ['read_file', 'write-file', 'a.b.c', 'x', '__proto__', 'constructor', 'get_2', 'tool']
const words = ['the', 'file', 'says', 'x', 'and', 'more', 'über', '日本', '🙂', 'a<b', '1.5', 'end.']

const strings = [
  ...words,
  ...[
    '',
    ' ',
    '  ',
    '\t',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    ' a',
    'a ',
    '\na',
    'a\n',
    '\ta\t',
    'a\r',
    '\ra',
    'a\r\nb',
    'a\n\n\nb',
  ],
  ...['5', '-1', '1e3', 'true', 'null', '"q"', '"', '\\', '{"a":1}', '["a"]', '[a-z]', '[', ']', '[]', '{', '}', '{}'],
  ...['- a', '-', '--', '---', '--- a', 'a: b', 'a:', ':', '#', '# Title', '> quoted', '* item', '1. item', '`', '``'],
  ...[
    '```',
    '```js\n',
    '\n```\n',
    '~~~',
    '`code`',
    '<',
    '>',
    '</',
    '&lt;',
    '<!-- -->',
    '<!--',
    '-->',
    '<pre>',
    '</PRE>',
    '<think>',
    '</think>',
    '__proto__',
  ],
  ...['\u0000', '\u001f', '\u2028', '\ufeff', '\ud800', '\udc00', 'é', '{{tools}}', '$&', '%s', "'"],
]

/** The syntax's `shards` are mixed into everything. */
export function createGenerator(random: Random, shards: readonly string[]): CaseGenerator {
  const markdown = [
    '```\n',
    '```js\n',
    '~~~\n',
    '`',
    '``',
    '> ',
    '- ',
    '  ',
    '1. ',
    '<think>',
    '</think>\n',
    '<thinking>\n',
    '<!--',
    '-->',
    '<pre>',
    '</PRE>',
    '\n\n    ',
  ]
  const text = () => random.pick(random.chance(3) && shards.length > 0 ? shards : strings)
  const value = () => random.list(0, 4, text).join(random.chance(3) ? '\n' : '')
  const plain = () => random.list(1, 6, () => random.pick(['one', 'two', 'three', 'four words', 'five'])).join(' ')

  function scalar(type: string): unknown {
    switch (type) {
      case 'integer':
        return random.integer(2000) - 1000
      case 'number':
        return random.pick([0.5, -2.25, 3, 1e21, 1e-7, 42])
      case 'boolean':
        return random.chance(2)
      case 'null':
        return null
      default:
        return value()
    }
  }

  function anything(depth: number): unknown {
    if (depth > 2 || random.chance(2)) return scalar(random.pick(['string', 'integer', 'number', 'boolean', 'null']))
    if (random.chance(2)) return random.list(0, 3, () => anything(depth + 1))
    return record(random.list(0, 3, () => [random.pick(names), anything(depth + 1)]))
  }

  function createTypedValue(depth: number): { schema: JsonSchema; make: () => unknown } {
    const kind = random.integer(depth > 1 ? 7 : 14)
    const scalars = ['string', 'string', 'integer', 'number', 'boolean', 'null']
    if (kind < 6) {
      const type = scalars[kind] ?? 'string'
      return { schema: { type }, make: () => scalar(type) }
    }
    switch (kind) {
      case 6: {
        const choices = random.list(1, 3, () => random.pick(['red', 'green', ' x ', '5', 'true']))
        return { schema: { type: 'string', enum: choices }, make: () => random.pick(choices) }
      }
      case 7:
        return { schema: {}, make: () => anything(0) }
      case 8: {
        const types = random.pick([
          ['string', 'null'],
          ['integer', 'string'],
          ['boolean', 'null'],
          ['string', 'array'],
        ])
        return {
          schema: { type: types },
          make: () => (types.includes('array') ? random.pick([value(), [value()]]) : scalar(random.pick(types))),
        }
      }
      case 9:
        return {
          schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          make: () => (random.chance(2) ? value() : random.list(0, 3, value)),
        }
      case 10: {
        const members = random.list(0, 3, () => ({ name: random.pick(names), ...createTypedValue(depth + 1) }))
        const schema = { type: 'object', properties: record(members.map(each => [each.name, each.schema])) }
        const makers = new Map(members.map(each => [each.name, each.make]))
        return { schema, make: () => record([...makers].map(([name, make]) => [name, make()])) }
      }
      case 11:
        return { schema: { type: 'array' }, make: () => random.list(0, 3, () => anything(1)) }
      default: {
        const items = createTypedValue(depth + 1)
        return { schema: { type: 'array', items: items.schema }, make: () => random.list(0, 4, items.make) }
      }
    }
  }

  return {
    call() {
      const members = new Map(random.list(0, 5, () => [random.pick(names), createTypedValue(0)] as const))
      const required = [...members.keys()].filter(() => random.chance(2))
      const properties = record([...members].map(([name, { schema }]) => [name, schema])) as Record<string, JsonSchema>
      const tool = { name: random.pick(toolNames), inputSchema: { type: 'object', properties, required } }
      const inputMembers = [...members].filter(([name]) => required.includes(name) || !random.chance(4))
      const input = record(inputMembers.map(([name, { make }]) => [name, make()]))
      return { tool, call: { toolCallId: 'id', toolName: tool.name, input } }
    },
    stringCall: () => ({
      toolCallId: 'id',
      toolName: random.pick(toolNames),
      input: record(random.list(0, 4, () => [random.pick(names), value()])),
    }),
    plainCall: () => ({
      toolCallId: 'id',
      toolName: random.pick(toolNames),
      input: record(
        random.list(0, 3, () => [random.pick(['path', 'note', 'content']), random.list(1, 3, plain).join('\n')]),
      ),
    }),
    prose: () => random.list(1, 3, () => `${plain()}.\n${random.chance(3) ? '\n' : ''}`).join(''),
    text(format) {
      const parts = random.list(1, 7, () => {
        const kind = random.integer(8)
        if (kind === 0) return `\n${format(this.stringCall())}\n`
        if (kind === 1) return format(this.plainCall())
        if (kind < 5 && shards.length > 0) return random.list(1, 3, () => random.pick(shards)).join('')
        return kind === 5
          ? random.pick(markdown)
          : kind === 6
            ? random.pick(strings)
            : random.pick([' ', '\n', 'prose ', 'a line\n'])
      })
      return parts.join('')
    },
    result() {
      const base = { toolCallId: random.pick(['tool-0-1', 'call_9', 'x']), toolName: random.pick(toolNames) }
      if (random.chance(3)) return { ...base, state: 'output-error', errorText: value() }
      const output = random.chance(4) ? anything(0) : random.list(1, 6, text).join(random.chance(2) ? '\n' : '')
      return { ...base, state: 'output-available', output }
    },
  }
}

/** An object without a prototype, so that every name is an ordinary key. */
function record<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const object = Object.create(null) as Record<string, T>
  for (const [key, value] of entries) object[key] = value
  return object
}
