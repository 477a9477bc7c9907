import type { ToolDefinition } from '@argot/core'
import { parse, syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { type DialectCase, testDialect, testForms } from './dialect-cases.ts'
import { summary } from './summary.ts'

/** Dialects of tagged parameters and of tags named after tools. */

const tools: ToolDefinition[] = [
  { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } } },
]

const cases: DialectCase[] = [
  {
    name: 'seed-oss',
    one: [
      '<seed:tool_call>\n<function=f>\n<parameter=a>x</parameter>\n<parameter=n>1</parameter>\n</function>\n</seed:tool_call>',
    ],
    conformance: { decidedBy: '</function>' },
  },
  {
    name: 'minimax-m2',
    one: [
      '<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">x</parameter><parameter name="n">1</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    two: '<minimax:tool_call><invoke name="f"><parameter name="a">x</parameter></invoke><invoke name="f"><parameter name="a">y</parameter></invoke></minimax:tool_call>',
    conformance: { decidedBy: '</invoke>' },
  },
  {
    name: 'dots',
    one: [
      '<dots_function_call>\n<invoke name="f">\n<parameter name="a">x</parameter><parameter name="n">1</parameter>\n</invoke>\n</dots_function_call>',
    ],
    two: '<dots_function_call><invoke name="f"><parameter name="a">x</parameter></invoke><invoke name="f"><parameter name="a">y</parameter></invoke></dots_function_call>',
    conformance: { decidedBy: '</invoke>' },
  },
  {
    name: 'muse-glimmer',
    one: [
      'to=f<|message|><atem:function_calls>\n<atem:invoke name="f">\n<atem:parameter name="a">x</atem:parameter>\n<atem:parameter name="n">1</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
      'to=f\n\n<atem:function_calls><atem:invoke name="f"><atem:parameter name="a">x</atem:parameter><atem:parameter name="n">1</atem:parameter></atem:invoke></atem:function_calls>',
    ],
    two: 'to=f<|message|><atem:function_calls><atem:invoke name="f"><atem:parameter name="a">x</atem:parameter></atem:invoke><atem:invoke name="f"><atem:parameter name="a">y</atem:parameter></atem:invoke></atem:function_calls>',
    conformance: { decidedBy: '</atem:invoke>' },
  },
  {
    name: 'deepseek-v3.2',
    one: [
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n</｜DSML｜invoke>',
    ],
    conformance: { decidedBy: '</｜DSML｜invoke>' },
  },
  {
    name: 'deepseek-v4',
    one: [
      '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n</｜DSML｜invoke>',
    ],
    conformance: { decidedBy: '</｜DSML｜invoke>' },
  },
  {
    name: 'glm',
    one: [
      '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n<arg_key>n</arg_key><arg_value>1</arg_value>\n</tool_call>',
    ],
    two: '<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call><tool_call>f<arg_key>a</arg_key><arg_value>y</arg_value></tool_call>',
  },
  {
    name: 'hyv3',
    one: [
      '<tool_calls>\n<tool_call>f<tool_sep>\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n<arg_key>n</arg_key><arg_value>1</arg_value>\n</tool_call>\n</tool_calls>',
      '<think:opensource>Hm.</think:opensource><tool_calls:opensource>\n<tool_call:opensource>f<tool_sep:opensource>\n<arg_key:opensource>a</arg_key:opensource>\n<arg_value:opensource>x</arg_value:opensource>\n<arg_key:opensource>n</arg_key:opensource><arg_value:opensource>1</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
    ],
    conformance: { decidedBy: '</tool_call>' },
  },
  {
    name: 'step3',
    one: [
      '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f"><steptml:parameter name="a">x</steptml:parameter><steptml:parameter name="n">1</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    ],
    conformance: { decidedBy: '</steptml:invoke>' },
  },
  {
    name: 'minicpm5',
    one: [
      '<function name="f"><param name="a">x</param><param name="n">1</param></function>',
      '<function name="f"><param name="a"><![CDATA[x]]></param><param name="n">1</param></function>',
    ],
    two: '<function name="f"><param name="a">x</param></function>\n<function name="f"><param name="a">y</param></function>',
  },
  {
    name: 'minimax-m3',
    one: [
      '<mm:think>So.</mm:think>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[<a>x]<]minimax[>[</a>]<]minimax[>[<n>1]<]minimax[>[</n>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
    ],
    conformance: { decidedBy: ']<]minimax[>[</invoke>', skip: { streaming: 'a value may turn out to have members' } },
  },
  {
    name: 'kimi-k3',
    one: [
      '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>x<|close|>argument<|sep|><|open|>argument key="n" type="number"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    ],
    conformance: { decidedBy: '<|close|>call<|sep|>' },
  },
  {
    name: 'cline',
    one: ['<f>\n<a>x</a>\n<n>1</n>\n</f>'],
    two: '<f><a>x</a></f><f><a>y</a></f>',
  },
]

testForms(cases, tools)
for (const dialect of cases) testDialect(dialect)

test('members and items in tags are read as the schema says', () => {
  const token = ']<]minimax[>['
  const properties = {
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { zip: { type: 'integer' } } },
  } as const
  const source = `${token}<invoke name="g">${token}<tags>${token}<item>1${token}</item>${token}<item>b${token}</item>${token}</tags>${token}<place>${token}<zip>7${token}</zip>${token}</place>${token}</invoke>`
  const chunks = parse('minimax-m3', source, { tools: [{ name: 'g', inputSchema: { type: 'object', properties } }] })
  expect(summary(chunks)).toEqual(['g {"tags":["1","b"],"place":{"zip":7}}'])
})

test('an attribute says what a value is where no schema does', () => {
  const source =
    '<｜DSML｜invoke name="g"><｜DSML｜parameter name="a" string="false">1</｜DSML｜parameter><｜DSML｜parameter name="b" string="true">1</｜DSML｜parameter></｜DSML｜invoke>'
  expect(summary(parse('deepseek-v3.2', source))).toEqual(['g {"a":1,"b":"1"}'])
})

test('elements of HTML are not tools', () => {
  expect(summary(parse('cline', '<p><b>x</b></p>'))).toEqual(['text "<p><b>x</b></p>"'])
})

test('of the messages of muse-glimmer only those to a tool carry calls, and those to oneself are reasoning', () => {
  const calls =
    '<atem:function_calls>\n<atem:invoke name="f">\n<atem:parameter name="a">x</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
  const source = ` to=self<|message|>I could say ${calls}<|eom|><|start|>assistant to=f<|message|>${calls}<|eom|>`
  const chunks = parse('muse-glimmer', source, { tools, reasoning: 'parts' })
  expect(summary(chunks)).toContain('f {"a":"x"}')
  expect(chunks.filter(({ type }) => type === 'tool-input-start')).toHaveLength(1)
  const thought = chunks.map(chunk => (chunk.type === 'reasoning-delta' ? chunk.delta : '')).join('')
  expect(thought).toBe(`I could say ${calls}`)
  expect(summary(parse('muse-glimmer', `to=user<|message|>Like this:\n${calls}<|eot|>`, { tools }))).toEqual([
    `text ${JSON.stringify(`Like this:\n${calls}`)}`,
  ])
})

test.each(['deepseek-v3.2', 'deepseek-v4', 'kimi-k3'])(
  '%s writes a text that looks like JSON as the text that its tag says it is',
  name => {
    const syntax = syntaxes.get(name)
    const tool: ToolDefinition = {
      name: 'f',
      inputSchema: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'array' }] } } },
    }
    for (const a of ['"q"', '["a"]\t\n', '1']) {
      const call = { toolCallId: 'id', toolName: 'f', input: { a } }
      expect(parse(syntax, syntax.format(call, tool), { tools: [tool] })).toContainEqual(
        expect.objectContaining({ type: 'tool-input-available', input: { a } }),
      )
    }
  },
)

test('a nested tag named `item` is a member if the schema takes an object and no list', () => {
  const read = (a: ToolDefinition['inputSchema']): unknown => {
    const inputSchema = { type: 'object', properties: { a } }
    const chunks = parse(syntaxes.get('cline'), '<f>\n<a><item>5</item></a>\n</f>\n', {
      tools: [{ name: 'f', inputSchema }],
    })
    return chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.input] : []))
  }
  const item = { type: 'integer' }
  expect(read({ type: 'object', properties: { item } })).toEqual([{ a: { item: 5 } }])
  expect(read({ anyOf: [{ type: 'null' }, { type: 'object', properties: { item } }] })).toEqual([{ a: { item: 5 } }])
  expect(read({ type: ['object', 'array'], items: item })).toEqual([{ a: [5] }])
})
