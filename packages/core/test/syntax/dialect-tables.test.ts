import { jsonDialect, parse, taggedDialect } from '@argot/core/syntax'
import type { JsonDialect, TaggedDialect } from '@argot/core/syntax/internal'
import { expect, test } from 'vitest'
import { summary } from './summary.ts'

/** Tables that a program can make itself, each with a text in that dialect. */

const keys = { name: ['name'], arguments: ['arguments', 'parameters'], id: ['id'], ignored: ['type'] }
const rest = { close: '', keys, write: '{call}', result: { write: '{result}', id: 'id' }, lesson: '' }
const deepseek = { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' }

test.each<[string, Pick<JsonDialect, 'open'> & Partial<JsonDialect>, string]>([
  ['llama3', { open: ['<|python_tag|>', ''], where: 'line' }, '<|python_tag|>{"name": "f", "parameters": {"a": 1}}'],
  ['llama3', { open: ['<|python_tag|>', ''], where: 'line' }, '{"name": "f", "parameters": {"a": 1}}'],
  ['llama3 tags', { open: ['<function={name}>'], close: '</function>' }, '<function=f>{"a": 1}</function>'],
  [
    'deepseek v3',
    {
      wrapper: deepseek,
      open: ['<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json'],
      close: '```\n<｜tool▁call▁end｜>',
    },
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'deepseek v3.1',
    { wrapper: deepseek, open: ['<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>'], close: '<｜tool▁call▁end｜>' },
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'kimi k2',
    {
      wrapper: { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
      open: ['<|tool_call_begin|>{id}<|tool_call_argument_begin|>'],
      close: '<|tool_call_end|>',
      nameInId: /^(?:functions\.)?(?<name>.+?):\d+$/,
    },
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    'cohere, command r7b',
    {
      open: ['<|START_ACTION|>'],
      close: '<|END_ACTION|>',
      keys: { name: ['tool_name'], arguments: ['parameters'], id: ['tool_call_id'], ignored: [] },
    },
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "f", "parameters": {"a": 1}}\n]<|END_ACTION|>',
  ],
  [
    'cohere, command r',
    { open: ['Action:\n```json'], close: '```', keys: { ...keys, name: ['tool_name'] } },
    'Action: ```json\n[{"tool_name": "f", "parameters": {"a": 1}}]\n```',
  ],
  ['granite', { open: ['<|tool_call|>', '<tool_call>'] }, '<tool_call>[{"name": "f", "arguments": {"a": 1}}]'],
  [
    'nemotron',
    { open: ['<TOOLCALL>'], close: '</TOOLCALL>' },
    '<TOOLCALL>[{"name": "f", "arguments": {"a": 1}}]</TOOLCALL>',
  ],
  [
    'phi-4-mini',
    { open: ['<|tool_call|>'], close: '<|/tool_call|>' },
    '<|tool_call|>[{"name": "f", "arguments": {"a": 1}}]<|/tool_call|>',
  ],
  [
    'harmony',
    { open: ['<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>'], close: '<|call|>' },
    '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>',
  ],
])('a table for %s reads its calls', (name, table, source) => {
  const syntax = jsonDialect({ ...rest, ...table, name })
  expect(summary(parse(syntax, `Now.\n${source}\nThen.`))).toEqual(['text "Now.\\n"', 'f {"a":1}', 'text "\\nThen."'])
})

test.each<[string, Pick<TaggedDialect, 'call' | 'parameter'> & Partial<TaggedDialect>, string]>([
  [
    'glm 4.5',
    {
      call: { open: '<tool_call>{name}\n', close: '</tool_call>' },
      parameter: { open: '<arg_key>{name}</arg_key>\n<arg_value>', close: '</arg_value>' },
    },
    '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>',
  ],
  [
    'minimax m2',
    {
      wrapper: { open: '<minimax:tool_call>', close: '</minimax:tool_call>' },
      call: { open: '<invoke name="{name}">', close: '</invoke>' },
      parameter: { open: '<parameter name="{name}">', close: '</parameter>' },
    },
    '<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">1</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    'deepseek v3.2',
    {
      wrapper: { open: '<｜DSML｜function_calls>', close: '</｜DSML｜function_calls>' },
      call: { open: '<｜DSML｜invoke name="{name}">', close: '</｜DSML｜invoke>' },
      parameter: { open: '<｜DSML｜parameter name="{name}">', close: '</｜DSML｜parameter>' },
    },
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'seed-oss',
    {
      wrapper: { open: '<seed:tool_call>', close: '</seed:tool_call>' },
      call: { open: '<function={name}>', close: '</function>' },
      parameter: { open: '<parameter={name}>', close: '</parameter>' },
    },
    '<seed:tool_call>\n<function=f>\n<parameter=a>1</parameter>\n</function>\n</seed:tool_call>',
  ],
])('a table for %s reads its calls', (name, table, source) => {
  const syntax = taggedDialect({ inline: true, result: ['', ''], lesson: '', ...table, name })
  expect(summary(parse(syntax, `Now.\n${source}\nThen.`))).toEqual(['text "Now.\\n"', 'f {"a":"1"}', 'text "\\nThen."'])
})
