import { jsonDialect, parse, syntaxes, taggedDialect } from '@argot/core/syntax'
import type { JsonDialect, TaggedDialect } from '@argot/core/syntax/internal'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'

/** A section around several calls, the name within an id, and markers with characters beyond ASCII. */
const harbour: JsonDialect = {
  name: 'harbour',
  wrapper: { open: '<｜ships▁begin｜>', close: '<｜ships▁end｜>' },
  open: ['<｜ship｜>{id}<｜cargo｜>'],
  close: '<｜moored｜>',
  nameInId: /^functions\.(?<name>[\w.-]+):\d+$/,
  keys: { name: ['name'], arguments: ['cargo'], id: [], ignored: [] },
  write: '<｜ships▁begin｜><｜ship｜>functions.{name}:0<｜cargo｜>{arguments}<｜moored｜><｜ships▁end｜>',
  result: { write: '<｜report｜>{result}', id: 'ship' },
  lesson: 'Write ships.',
}

/** A list of objects with keys of their own, in a fence that is not an example. */
const fenced: JsonDialect = {
  name: 'fenced',
  open: ['Action:'],
  close: '',
  liveFences: ['action'],
  keys: { name: ['tool_name'], arguments: ['parameters'], id: ['tool_call_id'], ignored: ['thought'] },
  write: '```action\nAction: [{call}]\n```',
  result: { write: 'Result: {result}', id: 'tool_call_id' },
  lesson: 'Write actions.',
}

/** Arguments in a fence that is part of the markers. */
const inFence: JsonDialect = {
  ...fenced,
  name: 'in-fence',
  open: ['<call>function<sep>{name}\n```json'],
  close: '```\n<end>',
  write: '<call>function<sep>{name}\n```json\n{arguments}\n```<end>',
}

/** An object that stands alone on its line, and shows by its keys that it is a call. */
const bare: JsonDialect = {
  name: 'bare',
  open: [''],
  close: '',
  where: 'line',
  keys: { name: ['name'], arguments: ['parameters'], id: [], ignored: ['type'] },
  write: '{call}',
  result: { write: 'Result: {result}', id: 'id' },
  lesson: 'Write objects.',
}

/** The name without a tag of its own, and each parameter in two tags. */
const pairs: TaggedDialect = {
  name: 'pairs',
  call: { open: '<tool_call>{name}\n', close: '</tool_call>' },
  parameter: { open: '<arg_key>{name}</arg_key>\n<arg_value>', close: '</arg_value>' },
  inline: true,
  result: ['<observation of="{name}" id="{id}" status="{status}">', '</observation>'],
  lesson: 'Write pairs.',
}

/** Tags with a prefix, and an id beside the name. */
const prefixed: TaggedDialect = {
  name: 'prefixed',
  wrapper: { open: '<x:calls>', close: '</x:calls>' },
  call: { open: '<x:call name="{name}" id="{id}">', close: '</x:call>' },
  parameter: { open: '<x:arg name="{name}">', close: '</x:arg>' },
  inline: false,
  result: ['<x:result name="{name}" id="{id}" status="{status}">', '</x:result>'],
  lesson: 'Write tags.',
}

describe('the laws hold for any table', () => {
  testConformance(jsonDialect(harbour), {
    thoroughness: 0.5,
    test,
    decidedBy: '}',
    shards: [
      '<｜ships▁begin｜>',
      '<｜ships▁end｜>',
      '<｜ship｜>',
      '<｜ship｜>functions.x:0<｜cargo｜>',
      '<｜moored｜>',
      '{}',
      '{',
      '"',
      ', ',
      '<',
      '\n',
    ],
  })
  testConformance(jsonDialect(bare), {
    thoroughness: 0.5,
    test,
    shards: [
      '{',
      '{"name": "x", ',
      '{"name": "x", "parameters": {}}',
      '"parameters": {"a"',
      '}',
      ':',
      '"',
      '\n',
      ' ',
      'x',
      '`',
    ],
    skip: { noExampleRuns: 'its calls begin a line, and the law asks for one behind a lone backtick within a line' },
  })
  testConformance(taggedDialect(pairs), {
    thoroughness: 0.5,
    test,
    shards: [
      '<tool_call>x',
      '<tool_call>',
      '</tool_call>',
      '<arg_key>a</arg_key>',
      '<arg_value>',
      '</arg_value>',
      '<arg_key>a',
      '\n',
      ' ',
      '<',
      'x',
    ],
  })
  testConformance(taggedDialect(prefixed), {
    thoroughness: 0.5,
    test,
    decidedBy: '</x:call>',
    shards: [
      '<x:calls>',
      '</x:calls>',
      '<x:call name="x" id="i">',
      '</x:call>',
      '<x:arg name="a">',
      '</x:arg>',
      '<x:',
      '"',
      '\n',
      '<',
    ],
  })
})

test.each<[string, string, string[]]>([
  [
    'several calls in a section',
    '<｜ships▁begin｜><｜ship｜>functions.a:0<｜cargo｜>{"x": 1}<｜moored｜>\n<｜ship｜>functions.b.c:1<｜cargo｜>{}<｜moored｜><｜ships▁end｜>!',
    ['a {"x":1}', 'b.c {}', 'text "!"'],
  ],
  ['a call without its section', '<｜ship｜>functions.a:0<｜cargo｜>{}<｜moored｜> ok', ['a {}', 'text " ok"']],
  [
    'an id that has no name in it',
    '<｜ship｜>a<｜cargo｜>{}<｜moored｜>',
    ['unknown SYNTAX_MISSING_NAME "<｜ship｜>a<｜cargo｜>{}<｜moored｜>"'],
  ],
  ['an empty section', '<｜ships▁begin｜><｜ships▁end｜>', ['text "<｜ships▁begin｜><｜ships▁end｜>"']],
])('a table with a section and names in ids reads %s', (_, source, lines) => {
  expect(summary(parse(jsonDialect(harbour), source))).toEqual(lines)
})

test('an id that stands in the marker is the id of the call', () => {
  const [start] = parse(jsonDialect(harbour), '<｜ship｜>functions.a:7<｜cargo｜>{}<｜moored｜>')
  expect(start).toMatchObject({ toolCallId: 'functions.a:7', toolName: 'a' })
  const [tagged] = parse(taggedDialect(prefixed), '<x:call name="a" id="i7"></x:call>')
  expect(tagged).toMatchObject({ toolCallId: 'i7', toolName: 'a' })
})

test('a table with a fence in its markers reads what stands in it', () => {
  const call = { toolCallId: '', toolName: 'a', input: { x: '```<end>' } }
  const source = jsonDialect(inFence).format(call)
  expect(summary(parse(jsonDialect(inFence), `One\n${source}\ntwo ${source}`))).toEqual([
    'text "One\\n"',
    'a {"x":"```<end>"}',
    'text "\\ntwo "',
    'a {"x":"```<end>"}',
  ])
})

test('a table with a live fence reads calls there, and in no other fence', () => {
  const source = 'Action: [{"tool_call_id": "0", "tool_name": "a", "parameters": {"x": 1}}]'
  expect(summary(parse(jsonDialect(fenced), `\`\`\`action\n${source}\n\`\`\`\n`))).toEqual([
    'text "```action\\n"',
    'a {"x":1}',
    'text "\\n```\\n"',
  ])
  expect(summary(parse(jsonDialect(fenced), `\`\`\`json\n${source}\n\`\`\`\n`))).toEqual([
    `text ${JSON.stringify(`\`\`\`json\n${source}\n\`\`\`\n`)}`,
  ])
})

test.each<[string, string, string[]]>([
  ['a call on a line of its own', '{"name": "a", "parameters": {"x": 1}}', ['a {"x":1}']],
  ['keys that say nothing', '{"type": "function", "name": "a", "parameters": {}}', ['a {}']],
  ['an object that is an answer', '{"name": "Ada", "age": 36}', ['text "{\\"name\\": \\"Ada\\", \\"age\\": 36}"']],
  ['an object without arguments', '{"name": "Ada"}', ['text "{\\"name\\": \\"Ada\\"}"']],
  [
    'an object within a line',
    'x {"name": "a", "parameters": {}}',
    ['text "x {\\"name\\": \\"a\\", \\"parameters\\": {}}"'],
  ],
  [
    'a call that is cut off',
    '{"name": "a", "parameters": {"x',
    ['a SYNTAX_UNCLOSED_VALUE "{\\"name\\": \\"a\\", \\"parameters\\": {\\"x"'],
  ],
])('a table without a marker reads %s', (_, source, lines) => {
  expect(summary(parse(jsonDialect(bare), source))).toEqual(lines)
})

test.each<[string, string, string[]]>([
  ['a call', '<tool_call>a\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>', ['a {"x":"1"}']],
  ['a call on one line', '<tool_call>a<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>', ['a {"x":"1"}']],
  ['a call without parameters', '<tool_call>a</tool_call>', ['a {}']],
  [
    'the closing tag in a value',
    '<tool_call>a<arg_key>x#1</arg_key><arg_value>1</arg_value></arg_value#1></tool_call>',
    ['a {"x":"1</arg_value>"}'],
  ],
  [
    'the calls of other dialects',
    '<tool_call>{"name": "a"}</tool_call><tool_call><function=a></function></tool_call>',
    ['text "<tool_call>{\\"name\\": \\"a\\"}</tool_call><tool_call><function=a></function></tool_call>"'],
  ],
])('a table with two tags to a parameter reads %s', (_, source, lines) => {
  expect(summary(parse(taggedDialect(pairs), source))).toEqual(lines)
})

test('dialects that begin alike each read their own calls only', () => {
  const call = { toolCallId: 'c', toolName: 'a', input: { x: 'y' } }
  const names = ['hermes', 'qwen3-coder']
  for (const writer of names) {
    for (const reader of names) {
      const source = syntaxes.get(writer).format(call)
      expect(summary(parse(reader, source))).toEqual([
        writer === reader ? 'a {"x":"y"}' : `text ${JSON.stringify(source)}`,
      ])
    }
  }
})
