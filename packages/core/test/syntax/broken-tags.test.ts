import type { ToolDefinition } from '@argot/core'
import { parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'

const tools: ToolDefinition[] = [
  {
    name: 'look',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, line: { type: 'integer' }, rows: { type: 'array' } },
    },
  },
]

function read(name: string, text: string, known = true) {
  const parser = syntaxes.get(name).parser(known ? { tools } : {})
  const chunks = [...parser.push(text), ...parser.end()]
  return {
    inputs: chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.input] : [])),
    errors: chunks.filter(({ type }) => type === 'tool-input-error').length,
    diagnostics: parser.diagnostics?.map(({ code, toolName }) => [code, toolName]) ?? [],
  }
}

describe('a value whose closing tag is damaged is an error, never another value', () => {
  test.each([
    ['xml', '<tool:look>\n<param:path>a.md>\n</tool:look>'],
    ['xml', '<tool:look>\n<param:path>a.md</param:path\n</tool:look>'],
    ['xml', '<tool:look>\n<param:path>a.md<param:path>\n</tool:look>'],
    ['xml', '<tool:look>\n<param:path>a.md</param:path</param:path>\n</tool:look>'],
    ['qwen3-coder', '<function=look>\n<parameter=path>\na.md\n</parameter\n></function>'],
    ['qwen3-coder', '<function=look>\n<parameter=path>a.md</parameter</parameter>\n</function>'],
    ['qwen3-coder', '<function=look>\n<parameter=path>a.mdparameter>\n</function>'],
    ['glm', '<tool_call>look\n<arg_key>path</arg_key>\n<arg_value>a.md>\n</tool_call>'],
    [
      'deepseek-v3.2',
      '<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="path" string="true">a.md>\n</｜DSML｜invoke>',
    ],
    [
      'deepseek-v3.2',
      '<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n<｜DSML｜parameter name="line" string="false>"3</｜DSML｜parameter>\n</｜DSML｜invoke>',
    ],
    ['minimax-m3', ']<]minimax[>[<invoke name="look">]<]minimax[>[<path>a.md<]minimax[>[</path>]<]minimax[>[</invoke>'],
  ])('%s: %s', (name, text) => {
    expect(read(name, text)).toMatchObject({ inputs: [], errors: 1 })
  })

  test('a value with whole tags at its end is still closed where its call ends', () => {
    const text = '<tool:look>\n<param:path><b>a</b>\n</tool:look>'
    expect(read('xml', text)).toMatchObject({ inputs: [{ path: '<b>a</b>' }], errors: 0 })
  })

  test.each(['qwen3-coder', 'xml', 'glm', 'invoke'])('%s carries a value that ends with half a closing tag', name => {
    const syntax = syntaxes.get(name)
    for (const half of ['</parameter', '</param:path', '</arg_value', '</parameter\n']) {
      const text = syntax.format({ toolCallId: 'a', toolName: 'look', input: { path: `a ${half}` } }, tools[0])
      expect(read(name, text).inputs).toEqual([{ path: `a ${half}` }])
    }
  })

  test('where nothing is known of the parameters, the opener of another one in a value is an error', () => {
    const text = '<function=look>\n<parameter=path>a.md\n>\n<parameter=line>\n3\n</parameter>\n</function>'
    expect(read('qwen3-coder', text, false)).toMatchObject({ inputs: [], errors: 1 })
  })
})

test.each([
  ['{"": "a"}', 'A parameter needs a name'],
  ['{" path": "a"}', 'The parameter " path" is called `path`'],
])('arguments %s are an error', (json, words) => {
  const chunks = parse('hermes', `<tool_call>{"name": "look", "arguments": ${json}}</tool_call>`, { tools })
  expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-error', errorText: expect.stringContaining(words) as string })
})

test('blanks around the name of a tool are not part of it', () => {
  const chunks = parse('hermes', '<tool_call>{"name": " look", "arguments": {"path": "a"}}</tool_call>', { tools })
  expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-available', toolName: 'look' })
})

test('a text that begins like an object and is none is not a list of one', () => {
  const text = '<function=look>\n<parameter=rows>{[1, 2}</parameter>\n</function>'
  expect(read('qwen3-coder', text)).toMatchObject({ inputs: [], errors: 1 })
})

test.each(syntaxes.names())('%s tells the error of a tool whose name it cannot write', name => {
  const odd = { name: 'server/look', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }
  const texts = [
    '<function=server/look>\n<parameter=path>a.md>\n</function>',
    '<tool_call>{"name": "server/look", "arguments": {"path": 1}}</tool_call>',
    '<invoke name="server/look"><parameter name="path">a</parameter><b></invoke>',
  ]
  for (const text of texts) expect(() => parse(name, text, { tools: [odd] })).not.toThrow()
})

describe('what is broken beside a mark, with the name of a known tool, is a near miss', () => {
  test.each([
    ['hermes', '<tool_call>\n{"name"": "look", "arguments": {"path": "a"}}\n</tool_call>'],
    ['hermes', '<tool_call>\n"{name": "look", "arguments": {"path": "a"}}\n</tool_call>'],
    ['qwen3-coder', '<tool_call>\n<functionlook>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>'],
    ['glm', '<tool_call>>look<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>'],
    ['glm', '<tool_calllook</tool_call>'],
    ['caret', '^^look\npath: a\n^^^'],
    ['kimi-k3', '<|open|>tools<|sep|>call tool=""look" index="1"<|sep|>'],
    ['llama3', '<|python_tag|>"{name": "look", "parameters": {"path": "a"}}'],
  ])('%s: %s', (name, text) => {
    expect(read(name, text)).toEqual({ inputs: [], errors: 0, diagnostics: [['SYNTAX_NEAR_MISS', 'look']] })
  })

  test.each([
    'I look at it.',
    'Use look for that: it reads a file.<|im_end|>',
    'The function look takes a path.',
    '`look`',
  ])('and %s is none', text => {
    expect(read('auto', text).diagnostics).toEqual([])
  })
})

/** Beginnings of calls that go on like others. */
const beginnings = [
  ...[
    '<tool_calls>[{"',
    '<tool_call>[{"',
    '<tool_call>{"',
    '<function=x>',
    '<function=',
    '[TOOL_CALLS][{"',
    '[x(',
    '[[',
    '[{',
  ],
  ...[
    '<|python_tag|>{"',
    '<|tool_call_start|>[{"',
    '<invoke name="',
    '<tool_call>x<arg_key>',
    'functools[{"',
    '<',
    '<x>',
  ],
  ...['<function_calls>x(', '<|channel|>commentary to=functions.x ', '{"name": "x", ', '```json\n{"', '^^^x\n'],
]

test.each(syntaxes.names())('%s reads beginnings of calls without end at most three times', name => {
  for (const beginning of beginnings) {
    const text = beginning.repeat(Math.ceil(600 / beginning.length))
    for (const pieces of [[text], text.split('')]) {
      let [steps, reread, last] = [0, 0, 0]
      const parser = syntaxes.get(name).parser({
        trace({ offset }) {
          steps++
          reread += Math.max(0, last - offset)
          last = offset
        },
      })
      for (const piece of pieces) parser.push(piece)
      parser.end()
      expect([beginning, Math.max(steps, reread + text.length) <= 3 * text.length + 100]).toEqual([beginning, true])
    }
  }
})

const m3 = ']<]minimax[>['

describe('a value that holds what is left of other tags is an error, never another value', () => {
  test.each([
    ['invoke', '<invoke name="look"><parameter name="path">a<parameterparameter name="line">3</parameter></invoke>'],
    ['invoke', '<invoke name="look"><parameter name="path">a<parametername="line">3</parameter></invoke>'],
    ['invoke', '<invoke name="look"><parameter name="path">aparameter name="line">3</parameter></invoke>'],
    ['qwen3-coder', '<function=look><parameter=path>a<parameterline>3</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>a\nparameter=line>\n3\n</parameter></function>'],
    ['xml', '<tool:look>\n<param:path>a.md\n<param:line>\n3\n</param:path>\n</tool:look>'],
    ['cline', '<look>\n<path>a.md\n<line>\n3\n</path>\n</look>'],
    ['qwen3-coder', '<function=look><parameter=path>>a.md</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>>\na.md\n</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=rows>>["a"]</parameter></function>'],
    ['qwen3-coder', '<function=look><parameter=path>\na.md\n<</parameter></function>'],
    ['invoke', '<invoke name="look"><parameter name="path">a.md<</parameter></invoke>'],
    ['invoke', '<invoke name="look"><parameter name="path">a.md</>\n<parameter name="line">3</parameter></invoke>'],
    [
      'invoke',
      '<invoke name="look"><parameter name="path">a</>parameter\n<parameter name="line">3</parameter></invoke>',
    ],
    [
      'deepseek-v3.2',
      '<｜DSML｜invoke name="look"><｜DSML｜parameter name="path">>a</｜DSML｜parameter></｜DSML｜invoke>',
    ],
    ['minimax-m3', `${m3}<invoke name="look">${m3}<path><path>a${m3}</path>${m3}</invoke>`],
    [
      'minimax-m3',
      `${m3}<invoke name="look">${m3}<rows>${m3}<item>a${m3}]</item><]minimax[>[<item>b${m3}</item>${m3}</rows>${m3}</invoke>`,
    ],
    ['minimax-m3', `${m3}<invoke name="look">${m3}<rows>${m3}<item><item>a${m3}</item>${m3}</rows>${m3}</invoke>`],
    [
      'kimi-k3',
      '<|open|>call tool="look"<|sep|><|open|>argument key="path" type="string"<|sep|>a<|close|><|close|>argument<|sep|><|close|>call<|sep|>',
    ],
    ['caret', '^^^look\nrows: [\na\n^^^\n\n^^^look\nrows: [\nb\n]\n^^^\n'],
  ])('%s: %s', (name, text) => {
    expect(read(name, text)).toMatchObject({ inputs: [], errors: 1 })
  })

  test('the words of tags in a text, and values that begin with a bracket, are content', () => {
    for (const [value, written] of [
      ['the parameter line is a number', 'the parameter line is a number'],
      ['<line>', '<line>'],
      ['>= 3', '>= 3'],
      ['> quoted', '> quoted'],
      ['>a.md', '\n>a.md\n'],
      ['a <', '\na <\n'],
    ]) {
      const text = `<invoke name="look"><parameter name="path">${written}</parameter></invoke>`
      expect(read('invoke', text)).toMatchObject({ inputs: [{ path: value }], errors: 0 })
    }
  })

  test.each(syntaxes.names().filter(name => name !== 'native'))('%s carries all of that as values', name => {
    const syntax = syntaxes.get(name)
    for (const path of [
      'a<parameterparameter name="line">3',
      '>a.md',
      '>\na',
      'a <',
      '>[<',
      `<path>${m3}a]`,
      'a<|close|>',
      '<|close|>argument',
      '^^^\n^^^look\npath: a\n^^^',
    ]) {
      const input = { path, rows: ['^^^', '^^^look', path] }
      const text = `${syntax.format({ toolCallId: 'functions.look:0', toolName: 'look', input }, tools[0])}\n`
      const { inputs } = read(name, text)
      expect(inputs).toEqual([input])
    }
  })
})

describe('a closing tag of a call with its slash in the wrong place is an error, not an empty parameter', () => {
  const path = `${m3}<path>a${m3}</path>`
  test.each([
    ['minimax-m3', `${m3}<tool_call>${m3}<invoke name="look">${path}${m3}<invoke/>${m3}</tool_call>`],
    ['minimax-m3', `${m3}<tool_call>${m3}<invoke name="look">${m3}<invoke/>${m3}</tool_call>`],
    ['minimax-m3', `${m3}<tool_call>${m3}<invoke name="look">${path}${m3}<tool_call/>${m3}</invoke>`],
    ['auto', `${m3}<tool_call>${m3}<invoke name="look">${path}${m3}<invoke/>${m3}</tool_call>`],
    ['cline', '<look>\n<path>a</path>\n<look/>\n</look>'],
  ])('%s: %s', (name, text) => {
    expect(read(name, text)).toMatchObject({ inputs: [], errors: 1 })
    expect(read(name, text, false)).toMatchObject({ inputs: [], errors: 1 })
  })

  test('a parameter of that name in the schema may be empty', () => {
    const inputSchema = { type: 'object', properties: { invoke: { type: 'string' } } }
    const text = `${m3}<invoke name="look">${m3}<invoke/>${m3}</invoke>`
    const chunks = parse('minimax-m3', text, { tools: [{ name: 'look', inputSchema }] })
    expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-available', input: { invoke: '' } })
  })
})

test.each(['functions.look::0', 'functions..look:0', '.look:0', 'look:0'])('kimi-k2 finds the name in %s', id => {
  const text = `<|tool_call_begin|>${id}<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|>`
  const [call] = parse('kimi-k2', text, { tools }).filter(({ type }) => type === 'tool-input-available')
  expect(call).toMatchObject({ toolName: 'look', input: { path: 'a' } })
})
