import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { textChunks } from './fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from './start-proxy.ts'

let started: StartedProxy | undefined

afterEach(async () => {
  await started?.close()
  started = undefined
})

async function start(...given: Parameters<typeof startProxy>): Promise<{ client: Anthropic } & StartedProxy> {
  started = await startProxy(...given)
  return { ...started, client: new Anthropic({ baseURL: started.url, apiKey: 'sk-ant-test', maxRetries: 0 }) }
}

const { name, description, parameters } = weather.function
const request = {
  model: 'fake',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'How is the weather?' }],
  tools: [{ name, description, input_schema: parameters as Anthropic.Tool.InputSchema }],
}
const leak = 'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>'

describe('a leaked call is a block', () => {
  test('without a stream', async () => {
    const { client, upstream } = await start([{ chunks: textChunks(leak) }])
    const message = await client.messages.create(request)
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'I look.\n' },
        { type: 'tool_use', name: 'weather', input: { city: 'Oslo', days: 2 } },
      ],
    })
    // The upstream did not count, so this is an estimate.
    expect(message.usage.input_tokens).toBeGreaterThan(5)
    const { headers, body } = upstream.asked[0]!
    expect(headers.authorization).toBe('Bearer sk-ant-test')
    expect(headers).not.toHaveProperty('x-api-key')
    expect(body).toMatchObject({ max_tokens: 100, tools: [weather], tool_choice: 'auto', stream: false })
  })

  test.each([
    [0, undefined],
    [1, undefined],
    [0, 700],
    [1, 'bytes' as const],
  ])('in a stream, with %i retries and a cut at %s', async (retries, cut) => {
    const chunks = [
      { reasoning_content: 'Hm.' },
      ...textChunks(leak),
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
    ]
    const { client, upstream } = await start([{ chunks }], { retries })
    upstream.cut = cut
    const message = await client.messages.stream(request).finalMessage()
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I look.\n' },
        { type: 'tool_use', name: 'weather', input: { city: 'Oslo', days: 2 } },
      ],
      usage: { input_tokens: 9, output_tokens: 4 },
    })
  })

  test('pieces of two native calls in turns are two blocks, one after the other', async () => {
    const call = (index: number, id: string | undefined, args: string): object => ({
      tool_calls: [
        { index, ...(id === undefined ? {} : { id }), function: { name: id && 'weather', arguments: args } },
      ],
    })
    const chunks = [
      call(0, 'a', '{"city":'),
      call(1, 'b', '{"city":"R'),
      call(0, undefined, '"Oslo"}'),
      call(1, undefined, 'ome"}'),
      { finish: 'tool_calls' },
    ]
    for (const retries of [0, 1]) {
      const { client } = await start([{ chunks }], { retries })
      const { content } = await client.messages.stream(request).finalMessage()
      expect(content).toMatchObject([{ input: { city: 'Oslo' } }, { input: { city: 'Rome' } }])
      await started!.close()
    }
    started = undefined
  })
})

test('a near miss is a comment right before the last event', async () => {
  const { url } = await start([{ chunks: textChunks('<tool_cal>{"name": "weather", "arguments": {}}</tool_cal>') }])
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true }),
  })
  expect(await response.text()).toMatch(/\n: argot near-miss: .+\n\nevent: message_stop\ndata: .*\n\n$/)
})

test('a call that breaks off after its beginning was sent is an error, not a call with half of its arguments', async () => {
  const broken = '<tool_call>{"name": "weather", "arguments": {"city": "Oslo", "days":'
  const { client } = await start([{ chunks: textChunks(broken) }], { retries: 0 })
  await expect(client.messages.stream(request).finalMessage()).rejects.toThrow(/can't be read/)
})

test('system, results, images and earlier calls are translated', async () => {
  const { client, upstream } = await start([{ chunks: textChunks('Mild.') }])
  await client.messages.create({
    ...request,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    stop_sequences: ['END'],
    tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: '' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'no' }], is_error: true },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
  })
  expect(upstream.asked[0]!.body).toMatchObject({
    stop: ['END'],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Error: no' },
      { role: 'user', content: 'And now?' },
    ],
  })
})

test('a system message within the conversation, as Claude Code sends it, is said as the user', async () => {
  const { client, upstream } = await start([{ chunks: textChunks('Hi.') }])
  const messages = [...request.messages, { role: 'system', content: 'Agents: none.' }] as never
  await client.messages.create({ ...request, system: 'Be brief.', messages })
  expect(upstream.asked[0]!.body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is the weather?\n\nAgents: none.' },
  ])
})

test.each([
  ['tools.0.type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['container', { container: 'x' }],
  ['mcp_servers', { mcp_servers: [] }],
  [
    'messages.0.content.0.type',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA' } }],
        },
      ],
    },
  ],
])('what has no translation is a 400 that names it: %s', async (field, fields) => {
  const { client, upstream } = await start([{ chunks: textChunks('Hi') }])
  const asked = client.messages.create({ ...request, ...fields } as never)
  await expect(asked).rejects.toThrow(new RegExp(`400.*invalid_request_error.*\`${field.replaceAll('.', '\\.')}\``))
  expect(upstream.asked).toHaveLength(0)
})

test('tokens are estimated, and models listed, as Anthropic has them', async () => {
  const { client } = await start([
    { text: '{"object":"list","data":[{"id":"qwen3","object":"model","created":1700000000}]}' },
  ])
  const { input_tokens: few } = await client.messages.countTokens({ model: 'fake', messages: request.messages })
  const { input_tokens: more } = await client.messages.countTokens(request)
  expect(few).toBeGreaterThan(0)
  expect(more).toBeGreaterThan(few)
  const models = await client.models.list()
  expect(models.data).toMatchObject([{ type: 'model', id: 'qwen3' }])
})

test('the loop of the AI SDK with the provider of Anthropic', async () => {
  const { url, upstream } = await start([{ chunks: textChunks(leak) }, { chunks: textChunks('It is mild.') }])
  const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })
  const inputSchema = jsonSchema<{ city: string }>(parameters as never)
  const tools = { weather: tool({ inputSchema, execute: ({ city }) => `mild in ${city}` }) }
  const options = { model: provider('fake'), tools, prompt: 'Weather?', stopWhen: stepCountIs(3), maxOutputTokens: 100 }
  expect(await streamText(options).text).toBe('It is mild.')
  expect(upstream.asked[1]!.body.messages).toMatchObject([
    {},
    { tool_calls: [{}] },
    { role: 'tool', content: 'mild in Oslo' },
  ])
  upstream.answers = [{ chunks: textChunks(leak) }, { chunks: textChunks('Done.') }]
  expect((await generateText(options)).text).toBe('Done.')
})
