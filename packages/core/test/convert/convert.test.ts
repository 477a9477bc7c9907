import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { accumulate, type Chunk, type Message, toolCalls } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'
import { convert, detectFormat, readTranscript, writeTranscript } from '@argot/core/convert'
import { findLosses, type TranscriptFormat, transcriptFormats } from '@argot/core/convert/internal'
import { describe, expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../../../fixtures/streams', import.meta.url))

function messageOf(name: string): Message {
  const accumulator = accumulate({ now: () => 1_700_000_000_000 })
  for (const line of readFileSync(`${folder}/${name}`, 'utf8').trim().split('\n'))
    accumulator.push(JSON.parse(line) as Chunk)
  accumulator.end()
  return accumulator.message!
}

const user: Message = {
  id: 'u1',
  role: 'user',
  status: 'sent',
  parts: [{ type: 'text', id: '0', text: 'Look at </user> and |RAW, please.\n> [!tool x]\n', state: 'done' }],
  createdAt: '2026-01-02T03:04:05.000Z',
}

/** The fields that a format has no place for. What is not here must survive. */
const cannotSay = {
  // A saved document has a sidecar, which keeps all of it.
  chatmd: /^(id|createdAt|finishReason|metadata|parts\[\].*)$/,
  jsonl: /^(createdAt|parts\[\]\.toolInvocation\.(startedAt|endedAt))$/,
  'ui-messages':
    /^(createdAt|status|finishReason|errorText|parts\[\]\.id|parts\[\]\.toolInvocation\.(startedAt|endedAt|output|preliminary))$/,
  callout: /^(parts\[\]|parts\[\]\..*)$/,
} satisfies Record<string, RegExp>

/** Every call with its input and how it ended, which every format can say of a call that was read. */
function callsOf(messages: readonly Message[]): unknown[] {
  return messages.flatMap(toolCalls).map(({ toolName, input = {}, state, output }) => {
    return JSON.parse(JSON.stringify({ toolName, input, ...(state === 'output-available' && { output }) }))
  })
}

describe.each(readdirSync(folder).filter(name => name.endsWith('.jsonl')))('%s', name => {
  const messages = [user, messageOf(name)]

  test.each(['chatmd', 'jsonl', 'ui-messages', 'callout'] as const)(
    'as %s loses only what that format cannot say',
    async format => {
      const { text } = writeTranscript(messages, format)
      const back = await readTranscript(text, format)
      expect(back.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      if (format !== 'chatmd') expect(back.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
      expect([...new Set(back.messages.map(({ role }) => role))]).toEqual(messages.map(({ role }) => role))
      expect(callsOf(back.messages)).toEqual(callsOf(messages))
      expect(findLosses(messages, back.messages).filter(({ field }) => !cannotSay[format].test(field))).toEqual([])
    },
  )
})

test('what a conversion loses is said, field by field', async () => {
  const source = JSON.stringify({ message: user })
  const { losses: lost, messages } = await convert(source, { from: 'jsonl', to: 'ui-messages' })
  expect(messages).toEqual([user])
  expect(lost).toEqual([{ field: 'createdAt', count: 1 }])
})

describe('a first step, which every message has', () => {
  const step = { type: 'step-start' } as const
  const answer = { type: 'text', id: '0', text: 'Hi.', state: 'done', phase: 'final' } as const
  const reply = (parts: Message['parts']): Message => ({ id: 'm', role: 'assistant', status: 'sent', parts })
  const fields = async (parts: Message['parts'], from: TranscriptFormat, to: TranscriptFormat): Promise<string[]> => {
    const { losses } = await convert(writeTranscript([reply(parts)], from).text, { from, to })
    return losses.map(({ field }) => field)
  }

  // Every syntax is written and read by the same code, so one stands for the others as the second of a pair of syntaxes.
  test.each(transcriptFormats)('is no loss from %s into any other', async from => {
    for (const to of from in cannotSay ? transcriptFormats : [...Object.keys(cannotSay), 'xml', from]) {
      const lost = await fields([step, answer], from, to)
      expect(lost, to).not.toContain('parts[]')
      expect(lost, to).not.toContain('parts[].type')
    }
  })

  test('hides no other loss, and a later step is one', async () => {
    expect(await fields([step, answer], 'jsonl', 'chatmd')).toEqual(await fields([answer], 'jsonl', 'chatmd'))
    expect(await fields([step, step, answer], 'jsonl', 'chatmd')).toContain('parts[]')
  })
})

test('a denial becomes an error in a callout, and an open approval a call without a result', async () => {
  for (const [name, state] of [
    ['approval-denied.jsonl', 'output-error'],
    ['approval-parked.jsonl', 'input-available'],
  ] as const) {
    const { messages } = await readTranscript(writeTranscript([messageOf(name)], 'callout').text, 'callout')
    expect(toolCalls(messages[0]!)[0]).toMatchObject({ state, input: { command: 'rm -r build' } })
  }
})

test('a call in the text of a user stays text, in every format', async () => {
  const quoted: Message = {
    ...user,
    parts: [{ type: 'text', id: '0', text: '> [!tool rm call_1]\n> input: {}\n', state: 'done' }],
  }
  for (const format of ['chatmd', 'jsonl', 'ui-messages', 'callout'] as const) {
    const { messages } = await readTranscript(writeTranscript([quoted], format).text, format)
    expect(
      messages[0]!.parts.map(part => part.type),
      format,
    ).toEqual(['text'])
  }
})

test('a call in the text of an assistant is escaped where it would be read as one', async () => {
  const quoting: Message = {
    ...user,
    role: 'assistant',
    parts: [
      { type: 'text', id: '0', text: 'Write:\n\n> [!tool rm call_1]\n> input: {}\n', state: 'done', phase: 'final' },
    ],
  }
  const { text, losses: lost } = await convert(JSON.stringify({ message: quoting }), { from: 'jsonl', to: 'callout' })
  expect(text).toContain('\\> [!tool rm call_1]')
  expect(lost.map(({ field }) => field)).toContain('parts[].text')
})

test.each<[string, string, TranscriptFormat]>([
  ['a.chatmd', '', 'chatmd'],
  ['a.md', '', 'callout'],
  ['a.json', '', 'ui-messages'],
  ['a.jsonl', '', 'jsonl'],
  ['a.txt', '[{"id":"m"}]', 'ui-messages'],
  ['a.txt', '{"type":"start"}', 'jsonl'],
  ['a.txt', '<user>Hi</user>', 'chatmd'],
  ['a.txt', 'Just text.', 'callout'],
])('%s with %j is read as %s', (file, text, format) => {
  expect(detectFormat(text, file)).toBe(format)
})

test.each<[TranscriptFormat, string]>([
  ['ui-messages', '{'],
  ['ui-messages', '{}'],
  ['ui-messages', '[null,{"id":"x"},{"id":"m","role":"user","parts":[null,{"type":"text"}]}]'],
  ['jsonl', 'no json\n{"type":"nothing"}\nnull\n'],
  ['callout', '<!-- argot message {bad json} -->\n> [!tool'],
  ['chatmd', '<user>never closed'],
])('bad %s does not throw: %j', async (format, text) => {
  await expect(readTranscript(text, format)).resolves.toBeDefined()
})

describe('a format into itself', () => {
  const head = '<!-- META_REFINE -->\n<config model="demo" temperature="0.2"/>\n<tool name="read_file"/>\n'
  const tool = '<tool name="lint" command="npm run lint"/>\n'
  const talk = '<user>\nHi\n</user>\n\n<assistant>\nHello.\n</assistant>\n'

  test.each(['inline', 'external'] as const)('keeps the <config> and the tools of a document: %s', async payloads => {
    const source = `${head}\n${talk}\n${tool}\n${talk}`
    const result = await convert(source, { from: 'chatmd', to: 'chatmd', payloads })
    expect([result.losses, result.left]).toEqual([[], []])
    expect(result.text.startsWith(`${head}${tool}\n<user`)).toBe(true)
    const [before, after] = [source, result.text].map(text => parseChatMd(text).document)
    expect(after!.config?.temperature).toBe(0.2)
    expect(after!.tools.map(one => one.kind)).toEqual(before!.tools.map(one => one.kind))
    expect((await convert(result.text, { from: 'chatmd', to: 'chatmd', payloads })).text).toBe(result.text)
    expect((await convert(source, { from: 'chatmd', to: 'callout' })).left).toEqual([
      'the `<config>`',
      '2 `<tool>` declarations',
    ])
  })

  test('chunks stay as they are, and the log of a run is nothing to warn about', async () => {
    const line = (o: number, chunk: object): string =>
      `${JSON.stringify({ o, t: 1_700_000_000_000 + o, chunk, m: 'x' })}\n`
    const log = [
      '{"argot":"run-log","version":1}\n',
      line(0, { type: 'start', messageId: 'm1' }),
      line(1, { type: 'data-argot-begin', transient: true, data: {} }),
      line(2, { type: 'text-start', id: 't' }),
      line(3, { type: 'text-delta', id: 't', delta: 'Hi.' }),
      line(4, { type: 'text-end', id: 't' }),
      line(5, { type: 'finish', finishReason: 'stop' }),
      line(6, { type: 'data-argot-end', transient: true, data: {} }),
    ].join('')
    for (const to of ['jsonl', 'chatmd'] as const) {
      const { text, diagnostics, losses: lost, left } = await convert(log, { from: 'jsonl', to })
      expect([diagnostics, left]).toEqual([[], []])
      if (to === 'jsonl') expect(lost).toEqual([])
      if (to === 'jsonl') expect(text).toBe(log)
      else expect(text).toContain('Hi.')
    }
  })

  test.each(readdirSync(folder).filter(name => name.endsWith('.jsonl')))('%s as jsonl is the same', async name => {
    const source = readFileSync(`${folder}/${name}`, 'utf8')
    expect(await convert(source, { to: 'jsonl', file: name })).toMatchObject({ text: source, losses: [], left: [] })
  })
})
