import { type Message, toolCalls } from '@argot/core'
import { convert, readTranscript, writeTranscript } from '@argot/core/convert'
import { transcriptFormats } from '@argot/core/convert/internal'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'

/** Conversations with calls in one syntax become such with calls in another, and nothing is lost in silence. */

const names = syntaxes.names().filter(name => name !== 'native')

const input = {
  path: 'a "b" <c>.md',
  count: 12,
  more: { list: ['x', { y: null }], '': 1 },
  'odd key': true,
  text: 'one\n\ntwo ',
}
const conversation: Message[] = [
  { id: 'u1', role: 'user', status: 'sent', parts: [{ type: 'text', id: '0', text: 'Go.', state: 'done' }] },
  {
    id: 'm1',
    role: 'assistant',
    status: 'sent',
    parts: [
      { type: 'text', id: '0', text: 'I look.', state: 'done' },
      {
        type: 'tool',
        toolInvocation: {
          key: 'call_1',
          toolCallId: 'call_1',
          toolName: 'look',
          input,
          state: 'output-available',
          output: { found: [1] },
        },
      },
      {
        type: 'tool',
        toolInvocation: {
          key: 'call_2',
          toolCallId: 'call_2',
          toolName: 'look',
          input: { path: 'b', count: 5, flags: [true, null] },
          state: 'output-error',
          errorText: 'It is --> gone.',
        },
      },
      { type: 'text', id: '1', text: 'Done.', state: 'done' },
    ],
  },
]

/** What every syntax must carry. */
function essence(messages: readonly Message[]): unknown {
  const calls = messages.flatMap(toolCalls)
  return JSON.parse(
    JSON.stringify(
      calls.map(({ toolCallId, toolName, input: given, state, output, errorText }) => [
        toolCallId,
        toolName,
        given,
        state,
        output,
        errorText,
      ]),
    ),
  )
}

describe.each(names)('%s', name => {
  test('carries calls with their ids, inputs and results', async () => {
    const { text } = writeTranscript(conversation, name)
    const back = await readTranscript(text, name)
    expect(essence(back.messages)).toEqual(essence(conversation))
    expect(back.messages.map(({ id, role }) => [id, role])).toEqual([
      ['u1', 'user'],
      ['m1', 'assistant'],
    ])
  })

  test('takes what a model said in any other', async () => {
    const said = { toolCallId: 'functions.look:0', toolName: 'look', input: { path: 'src/lib.rs' } }
    for (const from of ['xml', 'hermes', 'qwen3-coder', 'fence', 'kimi-k2']) {
      const source = `I look.\n\n${syntaxes.get(from).format(said)}\n`
      const { text, messages } = await convert(source, { from, to: name })
      expect(messages.flatMap(toolCalls)).toMatchObject([{ toolName: 'look', input: { path: 'src/lib.rs' } }])
      const back = await readTranscript(text, name)
      expect(back.messages.flatMap(toolCalls)).toMatchObject([{ toolName: 'look', input: { path: 'src/lib.rs' } }])
    }
  })

  test('keeps a call that the assistant only quoted a text, and says that the text has changed', async () => {
    const quoted = syntaxes.get(name).format({ toolCallId: 'functions.rm:0', toolName: 'rm', input: { path: '/' } })
    const quoting: Message = {
      id: 'm1',
      role: 'assistant',
      status: 'sent',
      parts: [{ type: 'text', id: '0', text: `Write:\n\n${quoted}\n\nlike this.`, state: 'done', phase: 'final' }],
    }
    const { text, losses } = await convert(JSON.stringify({ message: quoting }), { from: 'jsonl', to: name })
    const back = await readTranscript(text, name)
    expect(back.messages.flatMap(toolCalls)).toEqual([])
    if (!text.includes(quoted)) expect(losses.map(({ field }) => field)).toContain('parts[].text')
  })
})

test('every syntax with text is a format', () => {
  expect(transcriptFormats).toEqual(expect.arrayContaining(names))
})

test('a comment that is not ours, or is broken, harms nothing', async () => {
  const source = '<tool:look></tool:look>\n<!-- argot call {broken -->\n<!-- argot call {"toolCallId": 5} -->\n'
  const { messages } = await readTranscript(source, 'xml')
  expect(messages.flatMap(toolCalls)).toMatchObject([{ toolName: 'look', state: 'input-available' }])
})
