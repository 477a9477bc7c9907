import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { Message, MessagePart } from '@argot/core'
import { buildPrompt } from '@argot/core/ai-sdk'
import { native, xml } from '@argot/core/syntax'
import { expect, test } from 'vitest'

/** A model of a real provider package, and the requests that it would have sent. */
type Sender = (fetch: typeof globalThis.fetch) => LanguageModelV3

const key = { apiKey: 'none' }
const providers: [string, Sender][] = [
  ['openai responses', fetch => createOpenAI({ ...key, fetch }).responses('gpt-5')],
  ['openai chat', fetch => createOpenAI({ ...key, fetch }).chat('gpt-4o')],
  ['anthropic', fetch => createAnthropic({ ...key, fetch })('claude-sonnet-4-5')],
  ['google', fetch => createGoogleGenerativeAI({ ...key, fetch })('gemini-2.5-flash')],
  ['openai-compatible', fetch => createOpenAICompatible({ name: 'x', baseURL: 'http://127.0.0.1:1', fetch })('m')],
]

const call = (toolCallId: string, fields: object): MessagePart =>
  ({ type: 'tool', toolInvocation: { key: toolCallId, toolCallId, toolName: 'read_file', ...fields } }) as MessagePart
const text = (value: string): MessagePart => ({ type: 'text', id: value, text: value, state: 'done' })
const message = (role: Message['role'], ...parts: MessagePart[]): Message => ({ id: role, role, status: 'sent', parts })

const conversation = [
  message('system', text('Be brief.')),
  message('user', text('Look.'), { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' }),
  message(
    'assistant',
    { type: 'reasoning', id: 'r', text: 'hm', state: 'done', providerMetadata: { anthropic: { signature: 's' } } },
    { type: 'reasoning', id: 'r2', text: 'hm', state: 'done' },
    text('I look.'),
    call('a b', { state: 'output-available', input: { path: 'a' }, output: 'alpha' }),
    call('a b', { state: 'output-available', input: { path: 'b' }, output: { x: [1] } }),
    call('d', { state: 'output-denied', input: { path: 'c' }, approval: { id: 'd', approved: false, reason: 'mine' } }),
    call('e', { state: 'output-error', toolName: 'no such!', rawInput: '{"', errorText: 'Not JSON.' }),
    call('f', { state: 'input-available', input: {} }),
    { type: 'step-start' },
    text('Done.'),
  ),
  message('developer', text('In French, please.')),
  message('user', text('Thanks.')),
]

test.each(providers)('%s takes a conversation with everything in it', async (_, sender) => {
  for (const syntax of [native, xml]) {
    let body = ''
    const language = sender(async (_url, init) => {
      body = String(init?.body)
      return new Response('stop here', { status: 400 })
    })
    const tools = [{ name: 'read_file', inputSchema: { type: 'object', properties: {} } }]
    const { prompt } = await buildPrompt(conversation, { syntax, tools, language })
    await expect(language.doStream({ prompt })).rejects.toMatchObject({ statusCode: 400 })
    for (const said of [
      'Be brief.',
      'I look.',
      'alpha',
      'Denied by the user: mine',
      'is not in the transcript',
      'In French',
      'Thanks.',
    ]) {
      expect(body).toContain(said)
    }
    expect(body).not.toContain('"argot"')
  }
})
