import { accumulate, type Chunk, toolCalls } from '@argot/core'
import { fromUIMessage } from '@argot/core/ai-sdk'
import { expand, parseChatMd } from '@argot/core/chatmd'
import { limits } from '@argot/core/stream'
import { parse, syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'

/** JSON of an input with so many levels: the object of the parameters is the first. */
const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

function inputOf(chunks: readonly Chunk[]): unknown {
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  const call = fold.message && toolCalls(fold.message)[0]
  return call?.state === 'input-available' ? call.input : undefined
}

const start: Chunk = { type: 'start', messageId: 'm' }
const call = { toolCallId: 'c', toolName: 't' } as const
const tools = [{ name: 't', description: '', inputSchema: { type: 'object', properties: { a: {} } } }] as const

/** Each door gives the input of a call, or something else where it is too deep. */
const doors: [string, (json: string) => unknown][] = [
  [
    'a stream in pieces',
    json =>
      inputOf([
        start,
        { type: 'tool-input-start', ...call },
        ...[...json].map((inputTextDelta): Chunk => ({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta })),
        { type: 'tool-input-available', ...call, input: JSON.parse(json) },
      ]),
  ],
  ['a stream', json => inputOf([start, { type: 'tool-input-available', ...call, input: JSON.parse(json) }])],
  [
    'a call in text',
    json => {
      const text = `<tool_call>\n{"name": "t", "arguments": ${json}}\n</tool_call>`
      const chunks = parse(syntaxes.get('hermes')!, text, { tools })
      const isRead = chunks.some(chunk => chunk.type === 'tool-input-available')
      const input = inputOf([start, ...chunks])
      expect(isRead, 'what the syntax lets through, the stream takes').toBe(input !== undefined)
      return input
    },
  ],
  [
    'a message of the AI SDK',
    json => {
      const part = { type: 'tool-t', toolCallId: 'c', state: 'input-available', input: JSON.parse(json) }
      return toolCalls(fromUIMessage({ id: 'm', role: 'assistant', parts: [part] }))[0]?.input
    },
  ],
  [
    'a document',
    async json => {
      const source = `<tool_call function_name="t" tool_call_id="c">\n${json}\n</tool_call>\n`
      const resolver = { resolve: () => Promise.reject(new Error('nothing is read')) }
      const { messages } = await expand(parseChatMd(source).document, { resolver })
      return toolCalls(messages[0]!.message)[0]?.input
    },
  ],
]

test.each(doors)('%s takes a value as deep as the limit, and none that is deeper', async (_, read) => {
  expect(await read(nested(limits.jsonDepth))).toEqual(JSON.parse(nested(limits.jsonDepth)))
  expect(await read(nested(limits.jsonDepth + 1))).not.toEqual(JSON.parse(nested(limits.jsonDepth + 1)))
})

test.each(syntaxes.names().filter(name => name !== 'native'))('what %s writes and reads, the stream takes', name => {
  const syntax = syntaxes.get(name)!
  const read = (levels: number): { read: boolean; taken: boolean } => {
    const text = syntax.format({ ...call, input: JSON.parse(nested(levels)) }, tools[0])
    const chunks = parse(syntax, text, { tools })
    const isRead = chunks.some(chunk => chunk.type === 'tool-input-available')
    return { read: isRead, taken: inputOf([start, ...chunks]) !== undefined }
  }
  expect(read(limits.jsonDepth - 1)).toEqual({ read: true, taken: true })
  for (const levels of [limits.jsonDepth, limits.jsonDepth + 1]) {
    try {
      const { read: isRead, taken } = read(levels)
      expect(taken).toBe(isRead)
    } catch (error) {
      expect(error).toMatchObject({ name: 'ArgotError' })
    }
  }
})
