import type { ToolDefinition } from '@argot/core'
import { auto, parse, type Syntax, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'

/** Forms that models write besides the one that is taught. Each is read alike by its dialect and by `auto`. */

const tools: ToolDefinition[] = [
  { name: 'clock', inputSchema: { type: 'object', properties: {} } },
  {
    name: 'look',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        line: { type: 'integer' },
        rows: { type: 'array', items: { type: 'string' } },
        more: { type: 'object' },
        counts: { type: 'array', items: { type: 'integer' } },
        sizes: { type: 'object', additionalProperties: { type: 'integer' } },
        pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] },
      },
      required: ['path'],
    },
  },
]

function read(syntax: Syntax, text: string) {
  const parser = syntax.parser({ tools })
  const chunks = [...parser.push(text), ...parser.end()]
  return {
    calls: chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [[chunk.toolName, chunk.input]] : [])),
    errors: chunks.flatMap(chunk => (chunk.type === 'tool-input-error' ? [chunk.errorText] : [])),
    diagnostics: parser.diagnostics?.map(({ toolName }) => toolName) ?? [],
  }
}

const a = ['look', { path: 'a' }]
const clock = ['clock', {}]
const fenced = (name: string, json: string) =>
  `function<｜tool▁sep｜>${name}\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜>`
const dsml = (body: string) =>
  `<｜DSML｜function_calls>\n<｜DSML｜invoke name="look">\n${body}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`
const kimi = (id: string, json: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`

describe('calls', () => {
  test.each<[string, string, unknown[]]>([
    // A token that begins like the mark of the reasoning does not hide that mark.
    [
      'gemma4',
      '<|channel>thought\nI could <|tool_call>call:clock{}<tool_call|><channel|><|tool_call>call:look{path:<|"|>a<|"|>}<tool_call|>',
      [a],
    ],
    // Reasoning does not keep a call from being the first thing of a reply.
    ['cline', '<thinking>So.</thinking>\n\n<look>\n<path>a</path>\n</look>', [a]],
    ['xlam', '<think>So.</think>[{"name": "look", "arguments": {"path": "a"}}]', [a]],
    ['pythonic', '<think>So.</think>\n[look(path="a")]', [a]],
    // The recipient of harmony is in other places, and its last token is forgotten.
    ['harmony', ' to=functions.look<|channel|>commentary <|constrain|>json<|message|>{"path": "a"}<|call|>', [a]],
    ['harmony', '<|channel|>commentary <|constrain|>json to=functions.look<|message|>{"path": "a"}<|return|>', [a]],
    ['harmony', '<|channel|>commentary to=functions.look <|constrain|>json{"path": "a"}<|call|>', [a]],
    ['harmony', '<|channel|>final to=functions.look json<|message|>{"path": "a"}', [a]],
    ['harmony', 'So.\ncommentary to=functions.look json{"path": "a"}', [a]],
    ['kimi-k2', '<|tool_call_begin|>functions.look:0{"path": "a"}<|tool_call_end|>', [a]],
    ['kimi-k2', '◁think▷I <|tool_call_begin|>◁/think▷<|tool_call_begin|>functions.clock:0{}<|tool_call_end|>', [clock]],
    // Blanks after the token, and values without members.
    [
      'minimax-m3',
      ']<]minimax[>[ <tool_call>\n]<]minimax[>[ <invoke name="look">]<]minimax[>[ <path>a]<]minimax[>[ </path>]<]minimax[>[\n</invoke>]<]minimax[>[ </tool_call>',
      [a],
    ],
    [
      'minimax-m3',
      ']<]minimax[>[<invoke name="look">]<]minimax[>[<path>a]<]minimax[>[</path>]<]minimax[>[<more>]<]minimax[>[</more>]<]minimax[>[<counts>]<]minimax[>[</counts>]<]minimax[>[</invoke>',
      [['look', { path: 'a', more: {}, counts: [] }]],
    ],
    [
      'minimax-m3',
      ']<]minimax[>[<invoke name="look">]<]minimax[>[<path>a]<]minimax[>[</path>]<]minimax[>[<sizes>]<]minimax[>[<x>1]<]minimax[>[</x>]<]minimax[>[</sizes>]<]minimax[>[<pair>]<]minimax[>[<item>2]<]minimax[>[</item>]<]minimax[>[<item>2]<]minimax[>[</item>]<]minimax[>[</pair>]<]minimax[>[</invoke>',
      [['look', { path: 'a', sizes: { x: 1 }, pair: [2, '2'] }]],
    ],
    // Tags that close themselves.
    ['cline', '<clock/>', [clock]],
    ['cline', '<clock />', [clock]],
    ['invoke', '<invoke name="clock"/><invoke name="look"><parameter name="path">a</parameter></invoke>', [clock, a]],
    ['qwen3-coder', '<tool_call>\n<function=clock/>\n</tool_call>', [clock]],
    ['qwen3-coder', '<function=clock>\n</function>\n</tool_call>', [clock]],
    // Names without quotes.
    [
      'minimax-m2',
      '<minimax:tool_call><invoke name=look><parameter name=path>a</parameter></invoke></minimax:tool_call>',
      [a],
    ],
    // Items and members in tags, where the schema wants a list or an object.
    [
      'cline',
      '<look><path>a</path><rows>\n<item>x</item>\n<item>y</item>\n</rows></look>',
      [['look', { path: 'a', rows: ['x', 'y'] }]],
    ],
    ['cline', '<look><path>a</path><rows><row>x</row></rows></look>', [['look', { path: 'a', rows: ['x'] }]]],
    [
      'cline',
      '<look><path>a</path><more><b>1</b><c><d>e</d></c></more></look>',
      [['look', { path: 'a', more: { b: '1', c: { d: 'e' } } }]],
    ],
    [
      'cline',
      '<look><path><b>a</b></path><more>{"b": "<c>1</c>"}</more></look>',
      [['look', { path: '<b>a</b>', more: { b: '<c>1</c>' } }]],
    ],
    // The arguments of DSML as one object.
    ['deepseek-v3.2', dsml('{"path": "a", "line": 3}'), [['look', { path: 'a', line: 3 }]]],
    ['deepseek-v3.2', dsml('{"path": "</｜DSML｜invoke>"}'), [['look', { path: '</｜DSML｜invoke>' }]]],
    ['deepseek-v3.2', '<｜DSML｜invoke name="look">{"path": "a"}', [a]],
    ['deepseek-v4', '<｜DSML｜invoke name="look">{"path": "a"}</｜DSML｜invoke>', [a]],
    // The first token of DeepSeek, as models spell it.
    ...['<｜tool▁calls｜>', '<｜tool_calls_begin｜>', '<｜tool calls begin｜>', '<｜tool\\_calls\\_begin｜>'].map(
      (open): [string, string, unknown[]] => [
        'deepseek-v3',
        `${open}${fenced('look', '{"path": "a"}')}\n${fenced('clock', '{}')}<｜tool▁calls▁end｜>`,
        [a, clock],
      ],
    ),
    ['gigachat3', 'function call<|role_sep|>\n{"name": "look", "arguments": {"path": "a"}}', [a]],
    // Ids without a number, of tools that are known.
    ['kimi-k2', kimi('look', '{"path": "a"}') + kimi('functions.clock', '{}'), [a, clock]],
    // What evidently ends there.
    ['hermes', '<tool_call>\n{"name": "look", "arguments": {"path": "a"}\n</tool_call>', [a]],
    ['hermes', '<tool_call>{"name": "look", "arguments": {"path": "a"}}</tool_c', [a]],
    // Brackets of Python.
    ['pythonic', '[look(path="a", rows=("x", "y"))]', [['look', { path: 'a', rows: ['x', 'y'] }]]],
    [
      'pythonic',
      '[look(path="a", rows=("x",)), look(path="a", rows=())]',
      [
        ['look', { path: 'a', rows: ['x'] }],
        ['look', { path: 'a', rows: [] }],
      ],
    ],
    [
      'hermes',
      `<tool_call>{"name": "look", "arguments": {"path": "a", "rows": ("x", "y"), "more": {"b": (1, (2,))}}}</tool_call>`,
      [['look', { path: 'a', rows: ['x', 'y'], more: { b: [1, [2]] } }]],
    ],
    ...[`("x", 'y')`, `("x", "y",)`, '{"x", "y"}', `['x', 'y']`].map((rows): [string, string, unknown[]] => [
      'qwen3-coder',
      `<function=look><parameter=path>a</parameter><parameter=rows>${rows}</parameter></function>`,
      [['look', { path: 'a', rows: ['x', 'y'] }]],
    ]),
    [
      'qwen3-coder',
      `<function=look><parameter=path>a</parameter><parameter=rows>(x, y)</parameter><parameter=more>{'b': ('c', {1})}</parameter></function>`,
      [['look', { path: 'a', rows: ['(x, y)'], more: { b: ['c', [1]] } }]],
    ],
    // Without the namespace of harmony, where the tool is known.
    ['harmony', '<|channel|>commentary to=look <|constrain|>json<|message|>{"path": "a"}<|call|>', [a]],
    ['harmony', '<|start|>assistant to=look<|channel|>commentary json<|message|>{"path": "a"}', [a]],
    // Brackets in CDATA.
    [
      'minicpm5',
      '<function name="look"><param name="path"><![CDATA[a[0]]]></param></function>',
      [['look', { path: 'a[0]' }]],
    ],
    [
      'minicpm5',
      '<function name="look"><param name="path"><![CDATA[\n]a[\n]]></param></function>',
      [['look', { path: ']a[' }]],
    ],
    [
      'minicpm5',
      '<function name="look"><param name="path"><!DOCTYPE html><p></param></function>',
      [['look', { path: '<!DOCTYPE html><p>' }]],
    ],
  ])('%s: %s', (name, text, calls) => {
    expect(read(syntaxes.get(name), text)).toMatchObject({ calls, errors: [] })
    expect(read(auto, text)).toMatchObject({ calls, errors: [] })
  })
})

describe('errors', () => {
  test.each([
    ['cline', '<look/>'],
    ['cline', '<look><path>a</path><rows><item>x<item>y</item></rows></look>'],
    ['deepseek-v3.2', dsml('{"path": "a"} and more')],
    ['deepseek-v3.2', dsml('{"path": "a", "path": "b"}')],
    ['deepseek-v3.2', dsml('{"path": a}')],
    ['kimi-k2', kimi('0', '{"path": "a"}')],
    ['kimi-k2', kimi('functions.other.0', '{"path": "a"}')],
    // A brace may be missing in several places.
    ['hermes', '<tool_call>{"name": "look", "arguments": {"path": "a", "more": {"b": 1}}</tool_call>'],
    ['hermes', '<tool_call>{"name": "look", "arguments": {"path": "a}"}</tool_call>'],
    ['hermes', '<tool_call>{"name": "look", "arguments": {"path": "a"}}</tool_c and'],
    // A bracket of a mark is given twice, or slipped.
    ['gemma4', '<|tool_call>call:look{path:<|"|>>a<|"|>}<tool_call|>'],
    ['gemma4', '<|tool_call>call:look{path:<|"|>a<<|"|>}<tool_call|>'],
    ['minimax-m3', ']<]minimax[>[<invoke name="look">]<]minimax[>[<path>a]]<]minimax[>[</path>]<]minimax[>[</invoke>'],
    ['qwen3-coder', '<function=look><parameter=path>>1</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>></parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>a\n<parameter=line\n3\n</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>a\n<paramter=line>\n3\n</parameter></function>'],
    ['invoke', '<invoke name="look"><parameter name="path">a<parameter name="line"3</parameter></invoke>'],
    ['invoke', '<invoke name="look"><parameter name="path">a</parameter<>parameter name="line">3</parameter></invoke>'],
    ['minicpm5', '<function name="look"><param name="path">a</parm></function>'],
    ...[
      '<![CDATA[[a]]>',
      '<![CDATA[a]]]>',
      '<![[CDATA[a]]>',
      '<!CDATA[a]]>',
      '<[CDATA[a]]>',
      '<![[a]]>',
      '![CDATA[a]]>',
    ].map(value => ['minicpm5', `<function name="look"><param name="path">${value}</param></function>`]),
    // Between tags only the closing tag ends a call: what follows may be lost.
    ['invoke', '<invoke name="look"><parameter name="path">a</parameter></inv'],
    ['invoke', '<invoke name="look"><parameter name="path">a</parameter><'],
    ['invoke', '<invoke name="look"><parameter name="path">a</parameter>'],
    // A value in parentheses is not a tuple.
    ['pythonic', '[look(path="a", rows=("x"))]'],
    ['qwen3-coder', '<function=look><parameter=path>a</parameter><parameter=rows>("x")</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>a</parameter><parameter=rows>("x", "y"</parameter></function>'],
  ])('%s: %s', (name, text) => {
    for (const syntax of [syntaxes.get(name), auto]) {
      const { calls, errors } = read(syntax, text)
      expect({ calls, errors: errors.length }).toEqual({ calls: [], errors: 1 })
    }
  })

  test('of a call without a mark show such a call', () => {
    const [error = ''] = read(auto, '{"name": "look", "arguments": {"line": 3}}').errors
    expect(read(auto, error.split('Write the call like this:\n')[1] ?? '').calls.map(([called]) => called)).toEqual([
      'look',
    ])
  })

  test.each(syntaxes.names().filter(name => name !== 'native'))('%s and `auto` show a call that can be read', name => {
    const format = syntaxes.get(name).format({ toolCallId: 'functions.look:0', toolName: 'look', input: { line: 3 } })
    for (const syntax of [syntaxes.get(name), auto]) {
      const [error = ''] = read(syntax, format).errors
      if (error === '' && syntax === auto) continue
      const shown = error.split('Write the call like this:\n')[1] ?? ''
      expect([error, read(syntax, `${shown}\n`).calls.map(([called]) => called)]).toEqual([error, ['look']])
    }
  })
})

describe('names with a slash, and parameters in any script', () => {
  const odd = { name: 'web/look', inputSchema: { type: 'object', properties: { größe: { type: 'integer' } } } }

  test.each([
    ['pythonic', '[web/look(größe=3)]'],
    ['lfm2', '<|tool_call_start|>[web/look(größe=3)]<|tool_call_end|>'],
    ['olmo3', '<function_calls>web/look(größe=3)</function_calls>'],
    ['gemma4', '<|tool_call>call:web/look{größe:3}<tool_call|>'],
    ['functiongemma', '<start_function_call>call:web/look{größe:3}<end_function_call>'],
    ['qwen3-coder', '<function=web/look><parameter=größe>3</parameter></function>'],
    ['cline', '<web/look><größe>3</größe></web/look>'],
    ['hermes', '<tool_call>{name: "web/look", arguments: {größe: 3}}</tool_call>'],
  ])('%s: %s', (name, text) => {
    for (const syntax of [syntaxes.get(name), auto]) {
      const calls = parse(syntax, text, { tools: [odd] }).filter(({ type }) => type === 'tool-input-available')
      expect(calls).toMatchObject([{ toolName: 'web/look', input: { größe: 3 } }])
    }
  })
})

describe('near misses', () => {
  test.each([
    ['lfm2', '<|tool_call_start|>[lookpath="a")]<|tool_call_end|>'],
    ['mistral', '[TOOL_CALLSlook[ARGS]{"path": "a"}'],
    ['mistral', '[TOOL_CALLS]lookARGS]{"path": "a"}'],
    ['deepseek-v3.2', '<｜DSML｜function_calls>\n<｜DSML｜invoke name"look">\n</｜DSML｜invoke>'],
    ['harmony', '<|channel|> to=functions.look<|message|>{"path": "a"}'],
    ['pythonic', 'So: look(path="a")]'],
    ['pythonic', '[look("a")]'],
    ['gemma4', '<|tool_call>call:lookpath:<|"|>a<|"|>}<tool_call|>'],
  ])('%s: %s', (name, text) => {
    expect(read(syntaxes.get(name), text)).toMatchObject({ calls: [], errors: [], diagnostics: ['look'] })
    expect(read(auto, text)).toMatchObject({ calls: [], errors: [], diagnostics: ['look'] })
  })
})

test('a text of minimax-m3 goes out while it is written', () => {
  const parser = syntaxes.get('minimax-m3').parser({ tools })
  parser.push(']<]minimax[>[<invoke name="look">]<]minimax[>[<path>')
  const deltas = parser
    .push('a long path')
    .map(chunk => (chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : ''))
  expect(deltas.join('')).toContain('a long path')
})

describe('functionary-v3.2, whose template ends with `>>>`', () => {
  const syntax = syntaxes.get('functionary-v3.2')

  test.each(['look\n{"path": "a"}', 'look\n{"path": "a"}\n>>>look\n{"path": "a"}'])('begins with a name: %j', text => {
    const { calls, errors } = read(syntax, text)
    expect({ calls, errors }).toEqual({ calls: text.includes('>>>') ? [a, a] : [a], errors: [] })
  })

  test.each(['look at this', 'So.\nlook\n{"path": "a"}', 'other\n{"path": "a"}'])('takes no text for one: %j', text => {
    const chunks = parse(syntax, text, { tools })
    expect(chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')).toBe(text)
  })
})

test('what `auto` passes over without a try is what it leaves after one', () => {
  const text = 'So: Map<string[]>, a<b, [x](y) <dots> [TOOL] <|tool <tool_cal> [[1]] <t\n<b>[^1]: note\n^^ <fun <｜t'
  const cuts = Array.from({ length: text.length }, (_, cut) => {
    const parser = auto.parser({ tools })
    return [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut)), ...parser.end()]
      .map(chunk => (chunk.type === 'text-delta' ? chunk.delta : ''))
      .join('')
  })
  expect(new Set(cuts)).toEqual(new Set([text]))
})

// So long that reading it again and again takes many seconds, and fails, instead of minutes.
test('a value, or a reply, that is made of the words of tags is read in one go', { timeout: 3000 }, () => {
  const value = 'parameter'.repeat(6000)
  const text = `<function=look><parameter=path>\n${value}\n</parameter></function>`
  expect(read(syntaxes.get('qwen3-coder'), text).calls).toEqual([['look', { path: value }]])
  expect(read(auto, 'look(path='.repeat(6000)).calls).toEqual([])
})
