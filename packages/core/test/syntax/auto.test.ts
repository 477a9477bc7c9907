import type { ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { auto, createAuto, parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'

const tools: ToolDefinition[] = [
  { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } } },
]
const call = { toolCallId: 'functions.f:0', toolName: 'f', input: { a: 'x', n: 1 } }
/** These are read by name only. */
const others = ['native', 'callout', 'fence', 'auto', 'gemma3', 'react', 'code-tag', 'name-json']
const names = syntaxes.names().filter(name => !others.includes(name))
const written = names.map(name => [name, syntaxes.get(name).format(call, tools[0])] as const)

test.each(written)('reads what %s writes, behind text and reasoning', (_, source) => {
  const chunks = parse(auto, `<think>So.</think>${source}`, { tools, reasoning: 'parts' })
  expect(summary(chunks).filter(line => !line.startsWith('text'))).toEqual(['reasoning "So."', 'f {"a":"x","n":1}'])
})

test.each([
  ['hermes', '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'],
  ['qwen3-coder', '<tool_call><function=f><parameter=a>x</parameter></function></tool_call>'],
  ['glm', '<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>'],
  ['hermes', '<tool_call>[{"name": "f", "arguments": {"a": "x"}}]'],
  ['jamba', '<tool_calls>[{"name": "f", "arguments": {"a": "x"}}]</tool_calls>'],
  ['hyv3', '<tool_calls><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>x</arg_value></tool_call></tool_calls>'],
  ['invoke', '<function_calls><invoke name="f"><parameter name="a">x</parameter></invoke></function_calls>'],
  ['olmo3', '<function_calls>f(a="x")</function_calls>'],
  ['functionary-v3.1', '<function=f>{"a": "x"}</function>'],
  ['qwen3-coder', '<function=f><parameter=a>x</parameter></function>'],
  ['minicpm5', '<function name="f"><param name="a">x</param></function>'],
  ['pythonic', '[f(a="x")]'],
  ['llama3', '{"name": "f", "arguments": {"a": "x"}}'],
  ['cline', '<f><a>x</a></f>'],
])('says that it read %s, where others begin alike', (dialect, source) => {
  const chunks = parse(auto, source, { tools })
  const [read] = chunks.filter(({ type }) => type === 'tool-input-available')
  expect(read).toMatchObject({ toolName: 'f', input: { a: 'x' } })
  expect(read && argotMetadata(read)?.dialect).toBe(dialect)
})

describe('calls without a mark of their own', () => {
  const bare = [
    '{"name": "f", "arguments": {}}',
    '[f(a="x")]',
    '<f><a>x</a></f>',
    '```json\n{"name": "f", "arguments": {}}\n```',
  ]

  test.each(bare)('%s counts only as the first thing of a reply', source => {
    expect(summary(parse(auto, source, { tools }))[0]).toMatch(/^f /)
    expect(summary(parse(auto, `So.\n${source}`, { tools })).join()).toMatch(/^text/)
  })

  test.each(bare)('%s counts only with the name of a known tool', source => {
    const otherTools = [{ ...tools[0]!, name: 'g' }]
    expect(summary(parse(auto, source, { tools: otherTools }))).toEqual([`text ${JSON.stringify(source)}`])
  })

  test.each(bare.filter(source => !source.startsWith('[')))('%s is text if no tool is known', source => {
    expect(summary(parse(auto, source))).toEqual([`text ${JSON.stringify(source)}`])
  })

  test.each([
    '[f(a="x")]',
    '[{"name": "f", "arguments": {"a": "x"}}]',
    '```json\n[{"name": "f", "arguments": {"a": "x"}}]\n```',
    '```\n[{"name": "f", "arguments": {"a": "x"}}]\n```',
  ])('%s, a list, counts if no tool is known', source => {
    expect(summary(parse(auto, source))).toEqual(['f {"a":"x"}'])
    expect(summary(parse(auto, `So: ${source}`)).join()).toMatch(/^text/)
  })

  test.each(['[1, 2]', '[{"name": "f"}]', '[{"name": "f", "age": 3}]', '[a](b)'])('%s is data, or prose', source => {
    expect(summary(parse(auto, source))).toEqual([`text ${JSON.stringify(source)}`])
  })

  test.each(bare)('%s is text with `bare: false`', source => {
    expect(summary(parse(createAuto({ bare: false }), source, { tools }))).toEqual([`text ${JSON.stringify(source)}`])
  })
})

test('tells of a known tool in a wrong form, in the form of the dialect', () => {
  const [error] = parse(auto, '<tool_call><function=f><b>x</b></function></tool_call>', { tools }).filter(
    ({ type }) => type === 'tool-input-error',
  )
  expect(error).toMatchObject({ toolName: 'f', errorText: expect.stringContaining('<parameter=a>') })
})

describe('tokens of templates', () => {
  const call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'

  /** The text of a reply, which is the same wherever it is cut. */
  function textOf(source: string): string {
    const read = (...pieces: string[]): string => {
      const parser = auto.parser({ tools })
      const chunks = [...pieces.flatMap(piece => parser.push(piece)), ...parser.end()]
      return chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
    }
    const text = read(source)
    for (let cut = 1; cut < source.length; cut++) expect(read(source.slice(0, cut), source.slice(cut))).toBe(text)
    expect(read(...source)).toBe(text)
    return text
  }

  test.each(['<|user|>', '</s>', '<|im_end|>', '<|end|>', '<|eot_id|>', '</response>', '<|endoftext|>'])(
    'between words %s is text',
    token => {
      for (const prose of [
        `The token ${token} begins a turn.`,
        `<s>old${token} new`,
        `It ends with ${token}\nand so on.`,
        `Tokens: ${token}, ${token}.`,
        `- ${token}: a turn\n- more`,
      ]) {
        expect(textOf(prose)).toBe(prose)
      }
    },
  )

  test.each([
    ['Done.<|im_end|>', 'Done.'],
    ['Done.<|im_end|>\n', 'Done.\n'],
    ['<|content|>Done.<|flush|><|end|>', 'Done.'],
    [`Now.<|end|>${call}<|observation|>12 degrees`, 'Now.12 degrees'],
    ['Done.<|user|>', 'Done.'],
  ])('at an edge they are left out: %j', (source, text) => {
    expect(textOf(source)).toBe(text)
  })
})

describe('the laws', () => {
  const shards = [
    ...[
      '<tool_call>',
      '</tool_call>',
      '{"name": "x", ',
      '"arguments": {',
      '}',
      '<function=x>',
      '<function name="x">',
      '<tool_',
    ],
    ...[
      '<invoke name="x">',
      '<|tool_call_start|>[',
      '[TOOL_CALLS]',
      '<tool:x>',
      '^^^x\n',
      '<function_calls>',
      '<|channel|>',
    ],
    ...['<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>function<｜tool▁sep｜>', ']<]minimax[>[<tool_call>'],
    ...[']<]minimax[>[', 'f(', '`', '```\n', '<think>', 'a'],
  ]
  testConformance(auto, { test, shards, texts: written.map(([, source]) => source), decidedBy: '}', thoroughness: 0.5 })
})
