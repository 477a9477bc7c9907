import { ArgotError, type Chunk, type JsonSchema, type ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { callout, hermes, invoke, mistral, parse, type Syntax, xml } from '@argot/core/syntax'
import { qwen3Coder } from '@argot/core/syntax/internal'
import { describe, expect, test } from 'vitest'
import { summary } from './summary.ts'

/** Mistakes that models make: each is repaired by name, or told; none becomes another call. */

const tool = (properties: Record<string, JsonSchema>, name = 'f'): ToolDefinition => ({
  name,
  inputSchema: { type: 'object', properties },
})
const city = [tool({ city: { type: 'string' }, state: { type: 'string' } })]
const paths = [tool({ paths: { type: 'array', items: { type: 'string' } } })]
const count = (type: string | string[]) => [tool({ n: { type } })]

const repaired = (chunks: readonly Chunk[]) =>
  chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [argotMetadata(chunk)?.repaired] : []))
const codes = (chunks: readonly Chunk[]) =>
  chunks.flatMap(chunk => (chunk.type === 'tool-input-error' ? [argotMetadata(chunk)?.code] : []))

describe('a parameter that is not closed', () => {
  test.each<[string, Syntax, string, string[]]>([
    [
      'before the next one',
      qwen3Coder,
      '<tool_call><function=f><parameter=city>\na\n<parameter=state>\nb\n</parameter></function></tool_call>',
      ['f {"city":"a","state":"b"}'],
    ],
    [
      'before the next one, in named tags',
      xml,
      '<tool:f><param:city>a<param:state>b</param:state></tool:f>',
      ['f {"city":"a","state":"b"}'],
    ],
    [
      'before the end of the call',
      qwen3Coder,
      '<tool_call><function=f><parameter=city>a</function></tool_call> then <tool_call><function=f><parameter=city>b</parameter></function></tool_call>',
      ['f {"city":"a"}', 'text " then "', 'f {"city":"b"}'],
    ],
    ['before the end of the text', xml, '<tool:f><param:city>a</tool:f>\n', ['f {"city":"a"}', 'text "\\n"']],
  ])('is cut %s', (_, syntax, source, lines) => {
    const chunks = parse(syntax, source, { tools: city })
    expect(summary(chunks)).toEqual(lines)
    expect(repaired(chunks)[0]).toEqual(['parameter-not-closed'])
  })

  test('is an error with `repair: none`', () => {
    const source = '<tool:f><param:city>a<param:state>b</param:state></tool:f>'
    expect(codes(parse(xml, source, { tools: city, repair: 'none' }))).toEqual(['SYNTAX_NEEDS_REPAIR'])
  })

  test.each<[string, Syntax, string]>([
    ['whose value goes on behind the end of the call', xml, '<tool:f><param:city>a </tool:f> b</param:city></tool:f>'],
    [
      'with a wrong closing tag',
      xml,
      '<tool:f><param:city>a</param:state></tool:f> and <tool:f><param:city>b</param:city></tool:f>',
    ],
  ])('is an error %s', (_, syntax, source) => {
    expect(codes(parse(syntax, source, { tools: city }))).not.toEqual([])
  })

  test('has all of its text in the error', () => {
    const source = '<invoke name="f"><parameter name="city"></invoke> and'
    expect(summary(parse(invoke, source, { tools: city }))).toEqual([
      `f SYNTAX_UNCLOSED_VALUE ${JSON.stringify(source)}`,
    ])
  })

  test('is not what a file about tool calls has', () => {
    const value = 'Write <tool:f><param:state>x</param:state></tool:f> here'
    const source = `<tool:f><param:city>${value}</param:city></tool:f>`
    expect(summary(parse(xml, source, { tools: city }))).toEqual([`f ${JSON.stringify({ city: value })}`])
    expect(
      summary(parse(invoke, invoke.format({ toolCallId: '', toolName: 'f', input: { city: '</invoke>' } }))),
    ).toEqual(['f {"city":"</invoke>"}'])
  })
})

describe('lists as Python and careless writers have them', () => {
  test.each<[string, string[], string[]]>([
    ["['a', 'b']", ['a', 'b'], ['single-quotes']],
    ['["a",]', ['a'], ['trailing-comma']],
    ["['it\\'s', \"x\"]", ["it's", 'x'], ['single-quotes']],
  ])('%s is read', (written, value, names) => {
    const chunks = parse(xml, `<tool:f><param:paths>${written}</param:paths></tool:f>`, { tools: paths })
    expect(chunks.at(-1)).toMatchObject({ input: { paths: value } })
    expect(repaired(chunks)).toEqual([names])
  })

  test.each(['[a, b]', "['a', 'b", "['it's']", '["a" "b"]'])('%s is an error, and no list of one', written => {
    const chunks = parse(xml, `<tool:f><param:paths>${written}</param:paths></tool:f>`, { tools: paths })
    expect(codes(chunks)).toEqual(['SYNTAX_BAD_VALUE'])
  })
})

describe('an integer beyond 2^53', () => {
  const digits = '1234567890123456789'
  test.each<[string, Syntax, string]>([
    ['xml', xml, `<tool:f><param:n>${digits}</param:n></tool:f>`],
    ['hermes', hermes, `<tool_call>{"name": "f", "arguments": {"n": ${digits}}}</tool_call>`],
    ['callout', callout, `> [!tool f c]\n> input:\n>   n: ${digits}\n`],
  ])('is never rounded in %s', (_, syntax, source) => {
    const wanted = { input: { n: digits } }
    expect(parse(syntax, source, { tools: count(['integer', 'string']) }).find(isCall)).toMatchObject(wanted)
    expect(parse(syntax, source, { tools: count([]) }).find(isCall) ?? wanted).toMatchObject(wanted)
    expect(codes(parse(syntax, source, { tools: count('integer') }))).toEqual(['SYNTAX_INTEGER_TOO_LARGE'])
  })

  test('is rounded for those who ask for it', () => {
    const source = `<tool_call>{"name": "f", "arguments": {"n": ${digits}}}</tool_call>`
    const options = { tools: count('integer'), integers: 'round' } as const
    expect(parse(hermes, source, options).find(isCall)).toMatchObject({ input: { n: Number(digits) } })
  })

  test('is sent on as a string, so that the deltas are the input', () => {
    const chunks = parse(hermes, `<tool_call>{"name": "f", "arguments": {"n": ${digits}}}</tool_call>`)
    const deltas = chunks.map(chunk => (chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : '')).join('')
    expect(JSON.parse(deltas)).toEqual({ n: digits })
  })

  test('does not make a large number of a program unreadable', () => {
    const call = { toolCallId: '', toolName: 'f', input: { n: 2 ** 60, list: [1e20] } }
    expect(parse(hermes, hermes.format(call)).find(isCall)).toMatchObject({ input: call.input })
  })
})

describe('what a dialect reads besides', () => {
  test.each<[string, Syntax, string, string]>([
    [
      'a call without its end, at the end',
      hermes,
      '<tool_call>{"name": "f", "arguments": {"a": 1}}',
      'call-not-closed',
    ],
    [
      'JSON in a fence',
      hermes,
      '<tool_call>\n```json\n{"name": "f", "arguments": {"a": 1}}\n```\n</tool_call>',
      'fenced-json',
    ],
    ['double braces', hermes, '<tool_call>{{"name": "f", "arguments": {"a": 1}}}</tool_call>', 'double-braces'],
    ['no `[ARGS]`', mistral, '[TOOL_CALLS]f{"a": 1}', ''],
    ['a quoted name', qwen3Coder, '<tool_call><function="f"><parameter="a">1</parameter></function></tool_call>', ''],
    ['blanks in tags', qwen3Coder, '<tool_call><function= f ><parameter= a >1</parameter></function></tool_call>', ''],
    [
      'no end of the function',
      qwen3Coder,
      '<tool_call><function=f><parameter=a>1</parameter></tool_call>',
      'call-not-closed',
    ],
  ])('reads %s', (_, syntax, source, name) => {
    const chunks = parse(syntax, source, { tools: [tool({ a: { type: 'integer' } })] })
    expect(chunks.find(isCall)).toMatchObject({ toolName: 'f', input: { a: 1 } })
    if (name !== '') expect(repaired(chunks)[0]).toContain(name)
  })

  test('reads names with slashes and letters of any alphabet', () => {
    const source = '<tool_call><function=server/f><parameter=größe>1</parameter></function></tool_call>'
    expect(summary(parse(qwen3Coder, source))).toEqual(['server/f {"größe":"1"}'])
  })

  test('takes no dots for a name', () => {
    const source = 'an inner <function=...></function> block within <tool_call></tool_call>'
    expect(summary(parse(qwen3Coder, source, { tools: city }))).toEqual([`text ${JSON.stringify(source)}`])
  })

  test.each<[string, Syntax, string]>([
    ['a bare name', qwen3Coder, '<tool_call>f\n<city>x</city>\n</f>\n</tool_call>'],
    ['a keyword call', hermes, '<tool_call>f(city="x")</tool_call>'],
    ['other tags', qwen3Coder, '<tool_call><function=f><city>x</city></function></tool_call>'],
    ['arguments that are none', mistral, '[TOOL_CALLS]f[ARGS]oops'],
  ])('tells of a known tool in a wrong form: %s', (_, syntax, source) => {
    const chunks = parse(syntax, source, { tools: city })
    expect(codes(chunks)).toHaveLength(1)
    expect(chunks.at(-1)).toMatchObject({ toolName: 'f', errorText: expect.stringContaining(' like this:\n') })
  })
})

describe('what the model is told', () => {
  const told = (syntax: Syntax, source: string) =>
    parse(syntax, source, { tools: city }).flatMap(chunk =>
      chunk.type === 'tool-input-error' ? [chunk.errorText] : [],
    )[0]

  test('names the tools where it called another', () => {
    expect(told(xml, '<tool:nobody><param:a>1</param:a>x</tool:nobody>')).toBe(
      'There is text between the parameters of `nobody`. There is no tool `nobody`. The tools are `f`.',
    )
  })

  test('is not taught the form of a call that was cut off', () => {
    expect(told(xml, '<tool:f><param:city>a')).toBe(
      'The text ends before `</param:city>`. The reply was cut off here. Make the call again, and shorter if it was long.',
    )
  })

  test('hears of a parameter given twice only where it is', () => {
    const source = '> [!tool f c]\n> input:\n>   city: [1]\n>   state: a\n'
    expect(told(callout, source)).not.toContain('twice')
  })
})

describe('tools in other shapes', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }
  const source = '<tool:f><param:n>5</param:n></tool:f>'
  test.each<[string, unknown]>([
    ['of OpenAI', [{ type: 'function', function: { name: 'f', parameters: schema } }]],
    ['of the AI SDK', { f: { inputSchema: { jsonSchema: schema } } }],
    ['with `parameters`', [{ name: 'f', parameters: schema }]],
    ['with `input_schema`', [{ name: 'f', input_schema: schema }]],
  ])('%s are read', (_, tools) => {
    expect(parse(xml, source, { tools: tools as ToolDefinition[] }).find(isCall)).toMatchObject({ input: { n: 5 } })
  })

  test('without a schema take any input, and are taught', () => {
    const tools = [{ name: 'f' }] as ToolDefinition[]
    expect(xml.describe(tools)).toContain('## f')
    expect(parse(xml, source, { tools }).find(isCall)).toMatchObject({ input: { n: '5' } })
  })

  test.each<[string, unknown]>([
    ['nothing', [undefined]],
    ['a tool without a name', [{ inputSchema: schema }]],
    ['a schema of a library', [{ name: 'f', inputSchema: { _def: {} } }]],
    ['a list of words', ['f']],
  ])('%s is refused when the parser is made', (_, tools) => {
    expect(() => xml.parser({ tools: tools as ToolDefinition[] })).toThrow(ArgotError)
  })

  test.each([
    ['float', '1.5', 1.5],
    ['str', '5', '5'],
    ['STRING', '5', '5'],
    ['int', '5', 5],
    ['bool', 'true', true],
    ['list[str]', '["a"]', ['a']],
    ['dict', '{"a":1}', { a: 1 }],
    ['whatever', 'x', 'x'],
  ])('with the type %s mean what they say', (type, written, value) => {
    const chunks = parse(xml, `<tool:f><param:n>${written}</param:n></tool:f>`, { tools: count(type) })
    expect(chunks.find(isCall)).toMatchObject({ input: { n: value } })
  })
})

function isCall(chunk: Chunk): boolean {
  return chunk.type === 'tool-input-available'
}

describe('guesses', () => {
  const tools: ToolDefinition[] = [
    {
      name: 'f',
      inputSchema: {
        type: 'object',
        properties: { file_path: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
        required: ['file_path'],
      },
    },
  ]

  test.each([
    ['<tool:f><param:filePath>a</param:filePath></tool:f>', { file_path: 'a' }, 'parameter-name'],
    [
      '<tool:f><param:file_path>a</param:file_path><param:tags>[red, blue]</param:tags></tool:f>',
      { file_path: 'a', tags: ['red', 'blue'] },
      'unquoted-words',
    ],
  ])('are made with `repair: all` only: %s', (source, input, name) => {
    const chunks = parse(xml, source, { tools, repair: 'all' })
    expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-available', input })
    expect(repaired(chunks)).toEqual([[name]])
    expect(parse(xml, source, { tools }).at(-1)).toMatchObject({ type: 'tool-input-error' })
  })
})
