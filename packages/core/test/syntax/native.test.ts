import { native, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

describe('the laws', () => {
  const skip = 'calls arrive beside the text, not in it'
  testConformance(native, {
    test,
    shards: ['{"name":"x"}', '<tool:x></tool:x>', '^^^x\n^^^\n', '`', '```\n'],
    skip: {
      roundTrip: skip,
      early: skip,
      streaming: skip,
      wholeText: skip,
      noExampleRuns: skip,
      noHiddenRuns: skip,
      openReasoning: skip,
      limits: skip,
    },
  })
})

test.each<[string, string, string[]]>([
  ['plain text', 'Hello.\n', ['text "Hello.\\n"']],
  ['nothing', '', []],
  ['xml calls as text', '<tool:x></tool:x>', ['text "<tool:x></tool:x>"']],
  ['caret blocks as text', '^^^x\n^^^\n', ['text "^^^x\\n^^^\\n"']],
  ['JSON calls as text', '{"name":"x","arguments":{}}', ['text "{\\"name\\":\\"x\\",\\"arguments\\":{}}"']],
  ['fences as text', '```\n<x>\n```', ['text "```\\n<x>\\n```"']],
  ['reasoning as text', '<think>a</think>b', ['text "<think>a</think>b"']],
  ['half a reasoning tag', '<thin', ['text "<thin"']],
])('passes on %s', (_, source, chunks) => {
  expect(summary(parse('native', source))).toEqual(chunks)
})

test('makes parts of reasoning', () => {
  expect(summary(parse('json', '<thinking>a\n</thinking>\nb', { reasoning: 'parts' }))).toEqual([
    'reasoning "a\\n"',
    'text "\\nb"',
  ])
})

test('passes each piece on at once', () => {
  const parser = native.parser()
  expect(parser.push('a')).toHaveLength(2)
  expect(parser.push('b')).toEqual([{ type: 'text-delta', id: 'text-0-1', delta: 'b' }])
})

test('writes a call as JSON', () => {
  const call = { toolCallId: 'c1', toolName: 'x', input: { a: [1, null] } }
  expect(JSON.parse(native.format(call))).toEqual({ id: 'c1', name: 'x', arguments: { a: [1, null] } })
  expect(JSON.parse(native.format({ toolCallId: 'c1', toolName: 'x' }))).toEqual({ id: 'c1', name: 'x', arguments: {} })
})

test('writes a result as JSON', () => {
  const result = { toolCallId: 'c1', toolName: 'x', state: 'output-error', errorText: 'no such file' } as const
  expect(JSON.parse(native.formatResult(result))).toEqual({
    id: 'c1',
    name: 'x',
    status: 'error',
    result: 'no such file',
  })
})

test('describes tools as providers take them', () => {
  expect(JSON.parse(native.describe(tools))[0]).toEqual({
    type: 'function',
    function: { name: 'read_files', description: 'Reads files.', parameters: tools[0]?.inputSchema },
  })
  expect(native.describe([])).toBe('')
})
