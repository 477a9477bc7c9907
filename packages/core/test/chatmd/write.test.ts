import type { Message, ToolInvocation } from '@argot/core'
import { parseChatMd, writeChatMd } from '@argot/core/chatmd'
import { nextFileNumber, safeId } from '@argot/core/chatmd/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logOffset } from '../../src/chatmd/document.ts'
import { writeText } from '../../src/chatmd/reader/raw.ts'
import { runs } from './documents.ts'
import { assistantMessage, canonical, promptMessage, readBack } from './messages.ts'

describe.each(['inline', 'external'] as const)('with %s payloads', payloads => {
  test('what is written reads back as the same messages, whatever they hold', async () => {
    const messages = fc.array(fc.oneof({ weight: 3, arbitrary: assistantMessage }, promptMessage), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(messages, async list => {
        // Neighbours of one id are one message.
        const unique = list.filter((one, i) => i === 0 || one.id !== list[i - 1]!.id || one.role !== list[i - 1]!.role)
        const written = writeChatMd(
          unique.map(message => ({ type: 'message', message })),
          { payloads },
        )
        const { messages: read, problems } = await readBack(written)
        expect(problems).toEqual([])
        expect(canonical(read)).toBe(canonical(unique))
        expect(new Set(written.files.map(file => file.path)).size).toBe(written.files.length)
      }),
      { numRuns: runs(1500) },
    )
  })
})

const call: ToolInvocation = {
  key: 'call_123',
  toolCallId: 'call_123',
  toolName: 'read_file',
  state: 'output-available',
  input: { path: 'README.md' },
  output: 'Hello',
  callProviderMetadata: { argot: { itemId: 'item_456' } },
}

const message: Message = {
  id: 'm1',
  role: 'assistant',
  status: 'sent',
  parts: [
    { type: 'text', id: 't1', text: 'Let me look.', state: 'done', phase: 'commentary', toolCallId: 'call_123' },
    { type: 'tool', toolInvocation: call },
  ],
}

test('writes inline payloads as the seed shows them', () => {
  expect(writeChatMd([{ type: 'message', message }], { payloads: 'inline' })).toMatchObject({
    append: `
<assistant id="t1" message="m1" phase="commentary" tool_call_id="call_123">
Let me look.
</assistant>

<tool_call function_name="read_file" tool_call_id="call_123" id="item_456" message="m1">
RAW|
{"path":"README.md"}
|RAW
</tool_call>

<tool_response tool_call_id="call_123" message="m1">
RAW|
Hello
|RAW
</tool_response>
`,
    files: [],
  })
})

test('writes external payloads as the seed shows them, call and result under one number', () => {
  const written = writeChatMd([{ type: 'message', message }], { payloads: 'external', number: 7 })
  expect(written.append).toContain('\n  <doc src="./.chatmd/7.tool-call.call_123.json" local/>\n</tool_call>')
  expect(written.append).toContain(
    '\n  <doc src="./.chatmd/7.tool-call-result.call_123.json" local/>\n</tool_response>',
  )
  expect(written.files).toEqual([
    { path: './.chatmd/7.tool-call.call_123.json', text: '{"path":"README.md"}' },
    { path: './.chatmd/7.tool-call-result.call_123.json', text: 'Hello' },
  ])
  expect(written.number).toBe(8)
  expect(written.numbers).toEqual(new Map([['call_123', 7]]))
})

test('what is written piece by piece reads as the whole message', async () => {
  const options = { payloads: 'external' } as const
  const asked: ToolInvocation = { ...call, state: 'approval-requested', approval: { id: 'a1' } }
  delete asked.output
  const settled: ToolInvocation = {
    ...call,
    input: { path: 'LICENSE' },
    rawInput: { path: 'README.md' },
    approval: { id: 'a1', approved: true, by: 'ada', at: 1200, reason: 'edited' },
    startedAt: 1000,
    endedAt: 1250,
  }
  const end = {
    ...message,
    finishReason: 'stop',
    metadata: { usage: { totalTokens: 3 } },
    createdAt: '2026-01-02T03:04:05Z',
  } as const
  const first = writeChatMd(
    [
      { type: 'part', messageId: 'm1', part: { type: 'step-start' }, run: 'r1', offset: 1 },
      { type: 'part', messageId: 'm1', part: message.parts[0]!, run: 'r1', offset: 5 },
      { type: 'part', messageId: 'm1', part: { type: 'tool', toolInvocation: asked }, run: 'r1', offset: 9 },
    ],
    options,
  )
  const waiting = await readBack(first)
  expect(waiting.messages[0]!.parts[2]).toMatchObject({
    toolInvocation: { state: 'approval-requested', approval: { id: 'a1' } },
  })
  const number = first.numbers.get('call_123')!
  const second = writeChatMd(
    [
      { type: 'response', messageId: 'm1', call: settled, written: asked, number, run: 'r1', offset: 12 },
      { type: 'end', message: end, run: 'r1', offset: 13 },
    ],
    { ...options, number: first.number, after: first.append },
  )
  const both = { ...second, append: first.append + second.append, files: [...first.files, ...second.files] }
  const { messages, problems } = await readBack(both)
  expect(problems).toEqual([])
  expect(messages).toEqual([
    { ...end, parts: [{ type: 'step-start' }, message.parts[0], { type: 'tool', toolInvocation: settled }] },
  ])
  expect(logOffset(parseChatMd(both.append).document, 'r1')).toBe(13)
  expect(logOffset(parseChatMd(both.append).document, 'r2')).toBe(undefined)
  expect(second.append).toContain('ms="250"')
  expect(second.append).toContain(
    'approved="yes" approved_by="ada" approved_at="1970-01-01T00:00:01.200Z" approval_reason="edited"',
  )
  expect(second.append.match(/ (run|message)="/g)).toHaveLength(4)
  expect(second.append).toContain(' offset="13"')
})

test('an element starts a line of its own, whatever the document ends with', () => {
  const records = [{ type: 'message', message }] as const
  expect(writeChatMd(records, { payloads: 'inline', after: '<user>a</user>' }).append).toMatch(/^\n\n<assistant/)
  expect(writeChatMd(records, { payloads: 'inline', after: '<user>a</user>\n' }).append).toMatch(/^\n<assistant/)
})

test('metadata above 2 kB goes to a file', async () => {
  const signature = 'x'.repeat(3000)
  const part = {
    type: 'reasoning',
    id: 'rs/1',
    text: '',
    state: 'done',
    providerMetadata: { anthropic: { signature } },
  } as const
  const written = writeChatMd([{ type: 'part', messageId: 'm', part }], { payloads: 'inline' })
  expect(written.append).toContain('meta_src="./.chatmd/0.meta.rs_1.json"')
  expect((await readBack(written)).messages[0]!.parts).toEqual([part])
})

test('a custom tool call is written as text', () => {
  const custom: ToolInvocation = {
    ...call,
    input: '*** Begin\n',
    callProviderMetadata: { argot: { inputEncoding: 'text' } },
  }
  const { append } = writeChatMd([{ type: 'part', messageId: 'm', part: { type: 'tool', toolInvocation: custom } }], {
    payloads: 'inline',
  })
  expect(append).toContain('type="custom_tool_call"')
  expect(append).toContain('RAW|\n*** Begin\n\n|RAW')
})

test.each([
  ['call_1', 'call_1'],
  ['../../etc/passwd', '______etc_passwd'],
  ['a:b|c*d', 'a_b_c_d'],
  ['', '_'],
  ['.hidden', '_hidden'],
  ['é😀', '___'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('the id %.20s is safe in a file name', (id, name) => expect(safeId(id)).toBe(name))

test.each([
  ['plain text', 'Hello', 'Hello'],
  ['prose with <', 'a < b <3', 'a < b <3'],
  ['a tag', '</assistant>', 'RAW|\n</assistant>\n|RAW'],
  ['a comment', '-->', '-->'],
  ['an opening comment', '<!--', 'RAW|\n<!--\n|RAW'],
  ['RAW', 'a|RAW', 'RAW|\na|\n|RAWRAW|\nRAW\n|RAW'],
  ['a RAW block', 'RAW|a|RAW', 'RAW|\nRAW|a|\n|RAWRAW|\nRAW\n|RAW'],
  ['a trailing CR', 'a\r', 'RAW|\na\r|RAW'],
])('text: %s', (_, text, written) => expect(writeText(text)).toBe(written))

test('a call id that comes back in another message never shares a file', () => {
  const { input: _, ...withoutInput } = call
  const records = [call, withoutInput].map((toolInvocation, i) => ({
    type: 'message' as const,
    message: { ...message, id: `m${i}`, parts: [{ type: 'tool' as const, toolInvocation }] },
  }))
  const { files } = writeChatMd(records, { payloads: 'external' })
  expect(files.map(file => file.path)).toEqual([
    './.chatmd/0.tool-call.call_123.json',
    './.chatmd/0.tool-call-result.call_123.json',
    './.chatmd/1.tool-call-result.call_123.json',
  ])
})

test.each([
  [[], 0],
  [['0.tool-call.a.json', '0.tool-call-result.a.json'], 1],
  [['9.meta.a.json', '10.tool-call.b.json', 'tail-99.txt', 'cache', '.12.x'], 11],
])('the next free number beside %j is %i', (names, number) => expect(nextFileNumber(names)).toBe(number))

test('a prompt whose parts are the plain ones has no attribute for them, and an edit by hand beats one that has', async () => {
  const part = { type: 'text', id: 'u:0', text: 'Hello', state: 'done' } as const
  const prompt: Message = { id: 'u', role: 'user', status: 'sent', parts: [part] }
  const options = { payloads: 'inline' } as const
  expect(writeChatMd([{ type: 'message', message: prompt }], options).append).toBe('\n<user id="u">\nHello\n</user>\n')
  const named = writeChatMd([{ type: 'message', message: { ...prompt, parts: [{ ...part, id: 'x' }] } }], options)
  expect((await readBack(named)).messages[0]!.parts).toEqual([{ ...part, id: 'x' }])
  const edited = { ...named, append: named.append.replace('Hello', 'Hello, you') }
  expect((await readBack(edited)).messages[0]!.parts).toEqual([{ ...part, text: 'Hello, you' }])
})

test('an item id that is not a string is none', async () => {
  const callProviderMetadata = { argot: { inputEncoding: 'text', itemId: 5 } }
  const custom: ToolInvocation = { ...call, input: 'x', callProviderMetadata }
  const written = writeChatMd(
    [{ type: 'message', message: { ...message, parts: [{ type: 'tool', toolInvocation: custom }] } }],
    {
      payloads: 'inline',
    },
  )
  const read = { ...custom, callProviderMetadata: { argot: { inputEncoding: 'text' } } }
  expect((await readBack(written)).messages[0]!.parts).toEqual([{ type: 'tool', toolInvocation: read }])
})
