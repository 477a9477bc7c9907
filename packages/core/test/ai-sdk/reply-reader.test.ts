import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { accumulate, type Chunk, type ToolDefinition } from '@argot/core'
import { ReplyReader } from '@argot/core/ai-sdk'
import type { ReplyReaderOptions } from '@argot/core/ai-sdk/internal'
import { callout, hermes, native, parse, type Syntax, syntaxes, xml } from '@argot/core/syntax'
import { joinDeltas } from '@argot/core/testing'
import { expect, test } from 'vitest'
import { textOf } from '../text-of.ts'

const tools: ToolDefinition[] = [
  {
    name: 'read_file',
    effect: 'read',
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, lines: { type: 'integer' } } },
  },
]
const usage: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
}

function finish(unified: 'stop' | 'length' | 'tool-calls' | 'error' = 'stop'): LanguageModelV3StreamPart {
  return { type: 'finish', finishReason: { unified, raw: `raw ${unified}` }, usage }
}

function read(parts: readonly LanguageModelV3StreamPart[], options: Partial<ReplyReaderOptions> = {}) {
  const reader = new ReplyReader({ syntax: native, tools, step: 3, ...options })
  const chunks = parts.flatMap(part => reader.push(part))
  return { reader, chunks: [...chunks, ...reader.end()] }
}

/** The parts of a text that arrives in these pieces. */
function text(...deltas: string[]): LanguageModelV3StreamPart[] {
  return [
    { type: 'text-start', id: '0' },
    ...deltas.map(delta => ({ type: 'text-delta' as const, id: '0', delta })),
    { type: 'text-end', id: '0' },
  ]
}

test('text of a native reply passes delta by delta, under ids that name the step', () => {
  expect(read([...text('Hel', 'lo.'), ...text('More.'), finish()]).chunks).toEqual([
    { type: 'text-start', id: 'text-3-1' },
    { type: 'text-delta', id: 'text-3-1', delta: 'Hel' },
    { type: 'text-delta', id: 'text-3-1', delta: 'lo.' },
    { type: 'text-end', id: 'text-3-1' },
    { type: 'text-start', id: 'text-3-2' },
    { type: 'text-delta', id: 'text-3-2', delta: 'More.' },
    { type: 'text-end', id: 'text-3-2' },
  ])
})

test('reasoning tags in the text of a native reply become reasoning', () => {
  expect(joinDeltas(read([...text('<thi', 'nk>hm</think>', 'Yes.'), finish()]).chunks)).toEqual([
    { type: 'reasoning-start', id: 'reasoning-3-1' },
    { type: 'reasoning-delta', id: 'reasoning-3-1', delta: 'hm' },
    { type: 'reasoning-end', id: 'reasoning-3-1' },
    { type: 'text-start', id: 'text-3-2' },
    { type: 'text-delta', id: 'text-3-2', delta: 'Yes.' },
    { type: 'text-end', id: 'text-3-2' },
  ])
})

test.each([['native', native] as const, ['xml', xml] as const])(
  'what a provider says of a reasoning or a text anywhere is on its end (%s)',
  (_, syntax) => {
    const { chunks } = read(
      [
        { type: 'reasoning-start', id: 'rs', providerMetadata: { openai: { itemId: 'rs_1' } } },
        { type: 'reasoning-delta', id: 'rs', delta: 'hm' },
        { type: 'reasoning-delta', id: 'rs', delta: '', providerMetadata: { anthropic: { signature: 'sig' } } },
        { type: 'reasoning-end', id: 'rs', providerMetadata: { openai: { reasoningEncryptedContent: 'x' } } },
        { type: 'text-start', id: 'msg', providerMetadata: { openai: { itemId: 'msg_1', phase: 'commentary' } } },
        { type: 'text-delta', id: 'msg', delta: 'a', providerMetadata: { google: { thoughtSignature: 'g' } } },
        { type: 'text-end', id: 'msg', providerMetadata: { openai: { annotations: [] } } },
        finish(),
      ],
      { syntax },
    )
    const phase = syntax === native ? { phase: 'commentary' } : {}
    const all = { openai: { itemId: 'msg_1', ...phase }, google: { thoughtSignature: 'g' } }
    expect(chunks).toEqual([
      { type: 'reasoning-start', id: 'reasoning-3-1', providerMetadata: { openai: { itemId: 'rs_1' } } },
      { type: 'reasoning-delta', id: 'reasoning-3-1', delta: 'hm' },
      {
        type: 'reasoning-end',
        id: 'reasoning-3-1',
        providerMetadata: {
          openai: { itemId: 'rs_1', reasoningEncryptedContent: 'x' },
          anthropic: { signature: 'sig' },
        },
      },
      { type: 'text-start', id: 'text-3-2', providerMetadata: all },
      { type: 'text-delta', id: 'text-3-2', delta: 'a', providerMetadata: all },
      {
        type: 'text-end',
        id: 'text-3-2',
        providerMetadata: { ...all, openai: { ...all.openai, annotations: [] } },
      },
    ])
  },
)

test('a reasoning that is redacted and a text that is empty keep what the provider needs back', () => {
  const { chunks } = read([
    { type: 'reasoning-start', id: 'r', providerMetadata: { anthropic: { redactedData: 'secret' } } },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: '', providerMetadata: { google: { thoughtSignature: 'g' } } },
    { type: 'text-end', id: 't' },
    { type: 'text-start', id: 'nothing' },
    { type: 'text-end', id: 'nothing' },
    finish(),
  ])
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  expect(fold.message?.parts).toMatchObject([
    { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: 'secret' } } },
    { type: 'text', text: '', providerMetadata: { google: { thoughtSignature: 'g' } } },
  ])
})

test('a native call streams its input and gives it parsed, with all that the provider said of it', () => {
  expect(
    read([
      { type: 'tool-input-start', id: 'call_1', toolName: 'read_file', title: 'Read', dynamic: true },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"path":' },
      { type: 'tool-input-delta', id: 'call_1', delta: '"a"}' },
      { type: 'tool-input-end', id: 'call_1', providerMetadata: { google: { thoughtSignature: 'g' } } },
      {
        type: 'tool-call',
        toolCallId: 'call_1',
        toolName: 'read_file',
        input: '{"path":"a"}',
        providerMetadata: { openai: { itemId: 'fc_1' } },
      },
      finish('tool-calls'),
    ]).chunks,
  ).toEqual([
    { type: 'tool-input-start', toolCallId: 'call_1', toolName: 'read_file', title: 'Read', dynamic: true },
    { type: 'tool-input-delta', toolCallId: 'call_1', inputTextDelta: '{"path":' },
    { type: 'tool-input-delta', toolCallId: 'call_1', inputTextDelta: '"a"}' },
    {
      type: 'tool-input-available',
      toolCallId: 'call_1',
      toolName: 'read_file',
      input: { path: 'a' },
      providerMetadata: { google: { thoughtSignature: 'g' }, openai: { itemId: 'fc_1' } },
    },
  ])
})

test('a call that comes whole is started first, and one without arguments has an empty input', () => {
  expect(
    read([{ type: 'tool-call', toolCallId: 'c', toolName: 'no_such_tool', input: '' }, finish('tool-calls')]).chunks,
  ).toEqual([
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'no_such_tool' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'no_such_tool', input: {} },
  ])
})

test('an integer of a native call that JavaScript would round is a text of its digits', () => {
  const input = '{"lines":12345678901234567890,"path":"a"}'
  const { chunks } = read([{ type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input }, finish('tool-calls')])
  expect(chunks.at(-1)).toMatchObject({ input: { lines: '12345678901234567890', path: 'a' } })
})

test('arguments that are not JSON are an error for the model, with their text', () => {
  const { chunks } = read([{ type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input: '{"path":' }, finish()])
  expect(chunks).toMatchObject([
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'read_file' },
    {
      type: 'tool-input-error',
      toolCallId: 'c',
      toolName: 'read_file',
      input: '{"path":',
      errorText: expect.stringContaining('valid JSON'),
      providerMetadata: { argot: { code: 'STREAM_BAD_JSON' } },
    },
  ])
})

test('the text of a custom call is its input, marked as the transcript expects it', () => {
  const { chunks } = read([
    { type: 'tool-input-start', id: 'c', toolName: 'patch', inputEncoding: 'text' },
    { type: 'tool-input-delta', id: 'c', delta: '*** Begin' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'patch', input: '"*** Begin"' },
    finish('tool-calls'),
  ])
  expect(chunks).toEqual([
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'patch', inputEncoding: 'text' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '*** Begin' },
    {
      type: 'tool-input-available',
      toolCallId: 'c',
      toolName: 'patch',
      input: '*** Begin',
      providerMetadata: { argot: { inputEncoding: 'text' } },
    },
  ])
})

test('tools that the provider runs give their results', () => {
  const call = { type: 'tool-call', toolName: 'web_search', input: '{"q":1}', providerExecuted: true } as const
  const { chunks } = read([
    { ...call, toolCallId: 'a' },
    { type: 'tool-result', toolCallId: 'a', toolName: 'web_search', result: ['x'], preliminary: true },
    { type: 'tool-result', toolCallId: 'a', toolName: 'web_search', result: ['x', 'y'] },
    { ...call, toolCallId: 'b' },
    { type: 'tool-result', toolCallId: 'b', toolName: 'web_search', result: { error: 'no' }, isError: true },
    finish(),
  ])
  expect(chunks.filter(chunk => chunk.type.startsWith('tool-output'))).toEqual([
    { type: 'tool-output-available', toolCallId: 'a', output: ['x'], preliminary: true, providerExecuted: true },
    { type: 'tool-output-available', toolCallId: 'a', output: ['x', 'y'], providerExecuted: true },
    { type: 'tool-output-error', toolCallId: 'b', errorText: '{"error":"no"}', providerExecuted: true },
  ])
  expect(chunks[0]).toMatchObject({ type: 'tool-input-start', providerExecuted: true })
})

test('sources and files become chunks of their own', () => {
  expect(
    read([
      { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com', title: 'Example' },
      {
        type: 'source',
        sourceType: 'document',
        id: 's2',
        mediaType: 'application/pdf',
        title: 'Doc',
        filename: 'd.pdf',
      },
      { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
      finish(),
    ]).chunks,
  ).toEqual([
    { type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'Example' },
    { type: 'source-document', sourceId: 's2', mediaType: 'application/pdf', title: 'Doc', filename: 'd.pdf' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
  ])
})

test('how the call finished, warnings and errors are kept and give no chunks', () => {
  const { reader, chunks } = read([
    {
      type: 'stream-start',
      warnings: [
        { type: 'unsupported', feature: 'temperature', details: 'It thinks.' },
        { type: 'other', message: 'Careful.' },
      ],
    },
    { type: 'response-metadata', id: 'r' },
    { type: 'raw', rawValue: {} },
    { type: 'error', error: 'first' },
    { type: 'error', error: 'second' },
    finish('error'),
  ])
  expect(chunks).toEqual([])
  expect(reader.warnings).toEqual(['The model does not support `temperature`. It thinks.', 'Careful.'])
  expect(reader.error).toBe('first')
  expect(reader.finish).toEqual({
    reason: 'error',
    raw: 'raw error',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2, cachedInputTokens: 4 },
  })
})

test('a stream without a finish part has no finish, and what was being said is marked as broken off', () => {
  const { reader, chunks } = read([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hel' },
  ])
  expect(reader.finish).toBeUndefined()
  expect(chunks.slice(-2)).toEqual([
    { type: 'text-end', id: 'text-3-2', providerMetadata: { argot: { state: 'aborted' } } },
    { type: 'reasoning-end', id: 'reasoning-3-1', providerMetadata: { argot: { state: 'aborted' } } },
  ])
})

test('text that is still open when a call starts ends before it, and goes on in a part of its own', () => {
  const { chunks } = read([
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Let me look <' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input: '{}' },
    { type: 'text-delta', id: '0', delta: 'done' },
    { type: 'text-end', id: '0' },
    finish(),
  ])
  expect(joinDeltas(chunks).map(({ type }) => type)).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'tool-input-start',
    'tool-input-available',
    'text-start',
    'text-delta',
    'text-end',
  ])
  expect(textOf(chunks)).toBe('Let me look <done')
})

test('a native call that the token limit cut is an error for the model', () => {
  const { chunks } = read([
    { type: 'tool-input-start', id: 'c', toolName: 'read_file' },
    { type: 'tool-input-delta', id: 'c', delta: '{"pa' },
    finish('length'),
  ])
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  expect(fold.message?.parts).toMatchObject([
    {
      toolInvocation: {
        state: 'output-error',
        rawInput: '{"pa',
        errorText: expect.stringContaining('reached the token limit'),
      },
    },
  ])
})

test.each([0, 1, 2, 3, 4, 0x5fff, 0x6000, 0x6001, 100_000])('a file of %i bytes comes as the base64 of them', size => {
  const data = Uint8Array.from({ length: size }, (_, index) => (index * 31) % 256)
  const url = `data:image/png;base64,${Buffer.from(data).toString('base64')}`
  expect(read([{ type: 'file', mediaType: 'image/png', data }, finish()]).chunks).toEqual([
    { type: 'file', mediaType: 'image/png', url },
  ])
})

test('ids longer than a stream takes are short, the same for all parts of a call, and differ with their last letter', () => {
  const ids = ['a', 'b'].map(end => 'x'.repeat(5000) + end)
  const { chunks } = read([
    ...ids.flatMap((id): LanguageModelV3StreamPart[] => [
      { type: 'tool-input-start', id, toolName: 'read_file' },
      { type: 'tool-input-delta', id, delta: '{}' },
      { type: 'tool-call', toolCallId: id, toolName: 'read_file', input: '{}' },
    ]),
    finish('tool-calls'),
  ])
  const fold = accumulate()
  fold.push({ type: 'start', messageId: 'm' })
  for (const chunk of chunks) fold.push(chunk)
  expect(fold.diagnostics).toEqual([])
  const calls = fold.message!.parts.map(part => (part.type === 'tool' ? part.toolInvocation : undefined))
  expect(calls).toMatchObject([
    { state: 'input-available', input: {} },
    { state: 'input-available', input: {} },
  ])
  expect(calls.map(call => call!.toolCallId.length)).toEqual([81, 81])
  expect(calls[0]!.toolCallId).not.toBe(calls[1]!.toolCallId)
})

/** The chunks of `parse`, as a reply with one text part gives them. */
function expected(syntax: Syntax, source: string, options: Partial<ReplyReaderOptions>): Chunk[] {
  const { limit } = options
  const chunks = parse(syntax, source, { tools, step: 3, reasoning: 'parts', ...(limit && { limit }) })
  return joinDeltas(chunks.filter(chunk => !chunk.type.startsWith('tool-output')))
}

const textSyntaxes = syntaxes
  .names()
  .filter(name => name !== 'native')
  .map(name => syntaxes.get(name))

test.each(textSyntaxes.map(syntax => [syntax.name, syntax] as const))(
  'however the provider cuts a reply in %s, the chunks are those of the parser',
  (_, syntax) => {
    const call = syntax.format({ toolCallId: 'c1', toolName: 'read_file', input: { path: 'ä.md', lines: 3 } }, tools[0])
    // Of a known tool too: calls without a mark of their own are known by the names of tools.
    const second = syntax.format({ toolCallId: 'c2', toolName: 'read_file', input: { path: 'b' } }, tools[0])
    const source = `<think>hm</think>Look:\n\n${call}\n\nand \`code\`\n\n${second}\n\nend`
    const whole = expected(syntax, source, {})
    expect(whole.filter(chunk => chunk.type === 'tool-input-available')).toHaveLength(2)
    for (let cut = 0; cut <= source.length; cut++) {
      const { chunks } = read([...text(source.slice(0, cut), source.slice(cut)), finish()], { syntax })
      expect(joinDeltas(chunks), `cut at ${cut}`).toEqual(whole)
    }
    expect(joinDeltas(read([...text(...source), finish()], { syntax }).chunks)).toEqual(whole)
  },
)

test('past the limit the reader is stopped, and the rest is kept as remainder', () => {
  const source = `${xml.format({ toolCallId: '', toolName: 'read_file', input: { path: 'a' } })}\nand more`
  const { reader, chunks } = read(text(...source), { syntax: xml, limit: 'one' })
  expect(reader.stopped).toBe(true)
  const remainder = { argot: { phase: 'remainder' } }
  expect(joinDeltas(chunks).slice(-3)).toEqual([
    { type: 'text-start', id: 'text-3-2', providerMetadata: remainder },
    { type: 'text-delta', id: 'text-3-2', delta: 'and more' },
    { type: 'text-end', id: 'text-3-2', providerMetadata: remainder },
  ])
})

test('two text parts of a reply in a text syntax keep their places and their metadata', () => {
  const call = syntaxes.get('caret').format({ toolCallId: '', toolName: 'read_file', input: { path: 'a' } }, tools[0])
  const { chunks } = read(
    [
      { type: 'text-start', id: 'a', providerMetadata: { openai: { itemId: 'msg_1' } } },
      { type: 'text-delta', id: 'a', delta: 'I look.' },
      { type: 'text-end', id: 'a' },
      { type: 'text-start', id: 'b', providerMetadata: { openai: { itemId: 'msg_2', phase: 'final_answer' } } },
      { type: 'text-delta', id: 'b', delta: `${call}\n` },
      { type: 'text-delta', id: 'b', delta: 'Then.' },
      { type: 'text-end', id: 'b' },
      finish(),
    ],
    { syntax: syntaxes.get('caret') },
  )
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  expect(fold.message?.parts).toMatchObject([
    { type: 'text', text: 'I look.\n', providerMetadata: { openai: { itemId: 'msg_1' } } },
    { type: 'tool', toolInvocation: { input: { path: 'a' } } },
    // The provider, which saw no call, took this for the answer: its phase is not passed on.
    { type: 'text', text: '\nThen.', providerMetadata: { openai: { itemId: 'msg_2' } } },
  ])
})

const cutCall = '> [!tool read_file c1]\n> input:\n>   path: a/b'

test.each([['length'], ['error'], [undefined]] as const)(
  'a callout that the reply ends in is not a call when the model did not stop by itself (%s)',
  reason => {
    const parts = [...text(cutCall), ...(reason === undefined ? [] : [finish(reason)])]
    const { chunks } = read(parts, { syntax: callout })
    expect(chunks.at(-1)).toMatchObject({
      type: 'tool-input-error',
      toolCallId: 'c1',
      input: { path: 'a/b' },
      errorText: expect.stringContaining(reason === 'length' ? 'reached the token limit' : 'cut off'),
      providerMetadata: { argot: { code: 'SYNTAX_UNCLOSED_CALL' } },
    })
    expect(chunks.some(chunk => chunk.type === 'tool-input-available')).toBe(false)
  },
)

test('the same callout is a call when the model stopped, and when more text followed it', () => {
  expect(read([...text(cutCall), finish()], { syntax: callout }).chunks.at(-1)?.type).toBe('tool-input-available')
  const { chunks } = read([...text(`${cutCall}\n\nand`), finish('length')], { syntax: callout })
  expect(chunks.some(chunk => chunk.type === 'tool-input-available')).toBe(true)
})

test('a result that the model wrote itself is not taken for one', () => {
  const source = '> [!tool read_file c1]\n> input:\n>   path: a\n> output: all is well\n\nDone.'
  const { chunks } = read([...text(source), finish()], { syntax: callout })
  expect(chunks.filter(chunk => chunk.type.startsWith('tool-')).map(({ type }) => type)).toEqual([
    'tool-input-start',
    'tool-input-delta',
    'tool-input-available',
  ])
})

test('salvage reads a dialect in the text beside native calls, with ids that do not repeat', () => {
  const leaked = '<tool_call>\n{"name":"read_file","arguments":{"path":"a"}}\n</tool_call>'
  const { chunks } = read([...text(leaked), ...text(leaked), finish()], { salvage: hermes })
  const calls = chunks.filter(chunk => chunk.type === 'tool-input-available')
  expect(calls).toMatchObject([
    { toolCallId: 'tool-3-1', input: { path: 'a' } },
    { toolCallId: 'tool-3-2', input: { path: 'a' } },
  ])
  expect(read([...text(leaked), finish()]).chunks.some(chunk => chunk.type.startsWith('tool-'))).toBe(false)
})

test('a reader that has ended takes no more parts', () => {
  const { reader } = read([finish()])
  expect(reader.end()).toEqual([])
  expect(() => reader.push(finish())).toThrow('has ended')
})
