import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { createReplayModel } from '@argot/agent/workshop'
import { accumulate, type Chunk, type Message, type MessagePart, toolCalls } from '@argot/core'
import { buildPrompt, ReplyReader } from '@argot/core/ai-sdk'
import { writeChatMd } from '@argot/core/chatmd'
import { logHeader } from '@argot/core/stream/internal'
import { callout, native, type Syntax, syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { folder } from '../files/folder.ts'

const tools = [
  {
    name: 'read_file',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
]
const call = (toolCallId: string, fields: object): MessagePart =>
  ({
    type: 'tool',
    toolInvocation: { key: toolCallId, toolCallId, toolName: 'read_file', state: 'output-available', ...fields },
  }) as MessagePart
const text = (value: string, fields: object = {}): MessagePart => ({
  type: 'text',
  id: value,
  text: value,
  state: 'done',
  ...fields,
})
const user: Message = { id: 'u', role: 'user', status: 'sent', parts: [text('Compare a and b.')] }
const recorded: Message = {
  id: 'm',
  role: 'assistant',
  status: 'sent',
  parts: [
    { type: 'step-start' },
    {
      type: 'reasoning',
      id: 'r',
      text: 'Two files.',
      state: 'done',
      providerMetadata: { anthropic: { signature: 's' } },
    },
    text('I read both.\n'),
    call('call_1', { input: { path: 'a' }, output: 'A' }),
    call('call_2', {
      input: { path: 'edited' },
      rawInput: { path: 'b' },
      approval: { id: 'call_2', approved: true },
      output: { lines: 3 },
    }),
    text('And this is too much.', { phase: 'remainder' }),
    { type: 'step-start' },
    text('They differ, all in all.'),
  ],
}

async function document(messages: readonly Message[], payloads: 'inline' | 'external' = 'inline'): Promise<string> {
  const { append, files } = writeChatMd(
    messages.map(message => ({ type: 'message', message })),
    { payloads },
  )
  const directory = await folder({ 'talk.chatmd': append })
  for (const file of files) {
    const path = join(directory, file.path)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, file.text)
  }
  return directory
}

/** Plays all steps, each after the ones that were played before it. */
async function play(model: Model, syntax: Syntax, wanted: number): Promise<{ played: Message[]; chunks: Chunk[][] }> {
  const language = model.for!({ syntax, tools })
  const played: Message[] = []
  const all: Chunk[][] = []
  while (played.length < wanted) {
    const { prompt } = await buildPrompt([user, ...played], { syntax, tools, language })
    const reader = new ReplyReader({ syntax, tools, step: played.length + 1 })
    const chunks = (await partsOf(language, prompt)).flatMap(part => reader.push(part))
    chunks.push(...reader.end())
    const fold = accumulate({ now: () => 0 })
    for (const chunk of chunks) fold.push(chunk)
    fold.push({ type: 'finish', finishReason: 'tool-calls' })
    played.push({ ...fold.message!, id: `a${played.length}` })
    all.push(chunks)
  }
  return { played, chunks: all }
}

async function partsOf(language: LanguageModelV3, prompt: Parameters<LanguageModelV3['doStream']>[0]['prompt']) {
  const { stream } = await language.doStream({ prompt })
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

function said(message: Message): string {
  return message.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

test.each(['inline', 'external'] as const)('a document is played step by step (payloads %s)', async payloads => {
  const directory = await document([user, recorded], payloads)
  const model = await createReplayModel('talk.chatmd', { directory })
  expect(model.name).toBe('replay:talk.chatmd')
  const { played } = await play(model, native, 2)
  expect(played[0]?.parts).toMatchObject([
    { type: 'reasoning', text: 'Two files.', providerMetadata: { anthropic: { signature: 's' } } },
    { type: 'text', text: 'I read both.\n' },
    { toolInvocation: { toolCallId: 'call_1', toolName: 'read_file', input: { path: 'a' } } },
    { toolInvocation: { toolCallId: 'call_2', toolName: 'read_file', input: { path: 'b' } } },
  ])
  expect(played.map(said)).toEqual(['I read both.\n', 'They differ, all in all.'])
})

test.each(syntaxes.names().filter(name => name !== 'native'))('its calls are written in %s', async name => {
  const model = await createReplayModel(join(await document([user, recorded]), 'talk.chatmd'))
  const { played } = await play(model, syntaxes.get(name), 2)
  expect(toolCalls(played[0]!).map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'b' }])
  expect(played[0]?.parts[0]).toMatchObject({ type: 'reasoning', text: 'Two files.' })
  expect(said(played[0]!).trim()).toBe('I read both.')
  expect(said(played[1]!)).toBe('They differ, all in all.')
})

test('a syntax that writes ids down keeps them', async () => {
  const model = await createReplayModel(join(await document([user, recorded]), 'talk.chatmd'))
  const { played } = await play(model, callout, 1)
  expect(toolCalls(played[0]!).map(({ toolCallId }) => toolCallId)).toEqual(['call_1', 'call_2'])
})

const chunks: Chunk[] = [
  { type: 'start', messageId: 'm' },
  { type: 'start-step' },
  { type: 'text-start', id: 'lost' },
  { type: 'text-delta', id: 'lost', delta: 'taken back' },
  { type: 'reset-step' },
  { type: 'start-step' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'patch', inputEncoding: 'text' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '*** Begin' },
  {
    type: 'tool-input-available',
    toolCallId: 'c1',
    toolName: 'patch',
    input: '*** Begin',
    providerMetadata: { argot: { inputEncoding: 'text' } },
  },
  { type: 'tool-input-start', toolCallId: 'c2', toolName: 'read_file' },
  { type: 'tool-input-error', toolCallId: 'c2', toolName: 'read_file', input: '{"pa', errorText: 'Not JSON.' },
  { type: 'tool-input-available', toolCallId: 'w', toolName: 'web', input: { q: 1 }, providerExecuted: true },
  { type: 'tool-output-available', toolCallId: 'w', output: ['x'], providerExecuted: true },
  { type: 'tool-output-available', toolCallId: 'c1', output: 'done' },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'source-url', sourceId: 's', url: 'https://example.com' },
  { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Half of the ans' },
]

test('a run log is played, without what was taken back or broken off', async () => {
  const lines = chunks.map((chunk, o) => JSON.stringify({ o, t: o, chunk }))
  const directory = await folder({ 'run.jsonl': `${logHeader}\n${lines.join('\n')}\n{"o":99,"t` })
  const model = await createReplayModel('run.jsonl', { directory })
  const { chunks: played } = await play(model, native, 1)
  expect(played[0]).toMatchObject([
    { type: 'tool-input-start', toolCallId: 'c1', inputEncoding: 'text' },
    { type: 'tool-input-delta', inputTextDelta: '*** ' },
    { type: 'tool-input-delta', inputTextDelta: 'Begin' },
    { type: 'tool-input-available', input: '*** Begin', providerMetadata: { argot: { inputEncoding: 'text' } } },
    { type: 'tool-input-start', toolCallId: 'c2' },
    { type: 'tool-input-delta', inputTextDelta: '{"pa' },
    { type: 'tool-input-start', toolCallId: 'w', providerExecuted: true },
    { type: 'tool-input-delta', toolCallId: 'w' },
    { type: 'tool-input-available', toolCallId: 'w', providerExecuted: true },
    { type: 'tool-output-available', toolCallId: 'w', output: ['x'], providerExecuted: true },
    // What is wrong with it is known when the reply has ended: it may have been cut.
    { type: 'tool-input-error', toolCallId: 'c2', input: '{"pa' },
  ])
  await expect(play(model, native, 2)).resolves.toMatchObject({ chunks: [{}, []] })
})

test('a log that ended well is played with its sources and files', async () => {
  const whole: Chunk[] = [
    ...chunks,
    { type: 'text-end', id: 't' },
    { type: 'finish-step' },
    { type: 'finish', messageId: 'm' },
  ]
  const directory = await folder({
    'run.jsonl': whole.map((chunk, o) => JSON.stringify({ o, t: o, chunk })).join('\n'),
  })
  const { played } = await play(await createReplayModel('run.jsonl', { directory }), native, 2)
  expect(played[1]?.parts).toMatchObject([
    { type: 'source-url', url: 'https://example.com' },
    { type: 'file', url: 'data:image/png;base64,AQID' },
    { type: 'text', text: 'Half of the ans' },
  ])
})

test('past the end of the recording the call fails and says how long it is', async () => {
  const model = await createReplayModel(join(await document([user, recorded]), 'talk.chatmd'))
  const { prompt } = await buildPrompt([user, recorded], { syntax: native, tools, language: model.language })
  const reader = new ReplyReader({ syntax: native, tools, step: 3 })
  for (const part of await partsOf(model.language, prompt)) reader.push(part)
  expect(reader.error).toMatchObject({ code: 'MODEL_REPLAY_ENDED', message: expect.stringContaining('2 steps') })
  expect(reader.finish?.reason).toBe('error')
})

test.each([
  ['a document without an assistant', { 'a.chatmd': '<user>hi</user>' }],
  ['a log without a step', { 'a.chatmd': '', 'a.jsonl': `${logHeader}\n` }],
  ['a document with errors', { 'a.chatmd': '<assistant>hi</assistant><user>never closed' }],
  [
    'a payload that is missing',
    { 'a.chatmd': '<tool_call tool_call_id="c" function_name="f"><doc src="no.json" local/></tool_call>' },
  ],
  ['a file that is not text', { 'a.chatmd': new Uint8Array([0xff, 0xfe]) }],
  ['a file that is not there', {}],
])('%s cannot be replayed', async (_, files: Record<string, string | Uint8Array>) => {
  const file = 'a.jsonl' in files ? 'a.jsonl' : 'a.chatmd'
  const failing = createReplayModel(file, { directory: await folder(files) })
  await expect(failing).rejects.toMatchObject({ code: 'MODEL_REPLAY_EMPTY' })
})

test('what the prompt of a recording refers to is not read', async () => {
  const source =
    '<user><doc src="http://127.0.0.1:1/x"/><img src="no.png" local/><doc src="no.md" local/></user><assistant>Hi.</assistant>'
  const model = await createReplayModel('a.chatmd', { directory: await folder({ 'a.chatmd': source }) })
  expect((await play(model, native, 1)).played.map(said)).toEqual(['Hi.'])
})
