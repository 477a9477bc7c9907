import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { textChunks } from './fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from './start-proxy.ts'

let started: StartedProxy | undefined

afterEach(async () => {
  await started?.close()
  started = undefined
})

async function start(...given: Parameters<typeof startProxy>): Promise<{ client: OpenAI } & StartedProxy> {
  started = await startProxy(...given)
  return { ...started, client: new OpenAI({ baseURL: `${started.url}/v1`, apiKey: 'none', maxRetries: 0 }) }
}

const request = {
  model: 'fake',
  input: 'How is the weather?',
  store: false,
  tools: [{ type: 'function' as const, strict: false, ...weather.function }],
}
const leak = 'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>'
const output = [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.\n' }] },
  { type: 'function_call', name: 'weather', arguments: '{"city": "Oslo", "days": 2}' },
]

describe('a leaked call is an item', () => {
  test('without a stream', async () => {
    const { client, upstream } = await start([{ chunks: textChunks(leak) }])
    const response = await client.responses.create({ ...request, instructions: 'Be brief.', max_output_tokens: 50 })
    expect(response).toMatchObject({ object: 'response', status: 'completed', store: false, output })
    expect(response.output_text).toBe('I look.\n')
    expect(upstream.asked[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: {
        max_tokens: 50,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: request.input },
        ],
        tools: [{ type: 'function', function: { name: 'weather' } }],
      },
    })
  })

  test.each([
    [0, undefined],
    [1, undefined],
    [0, 900],
    [1, 'bytes' as const],
  ])('in a stream, with %i retries and a cut at %s', async (retries, cut) => {
    const { client, upstream } = await start([{ chunks: [{ reasoning: 'Hm.' }, ...textChunks(leak)] }], { retries })
    upstream.cut = cut
    const stream = client.responses.stream(request)
    const types: string[] = []
    const numbers: number[] = []
    stream.on('event', event => {
      types.push(event.type)
      numbers.push(event.sequence_number)
    })
    const response = await stream.finalResponse()
    expect(response.output).toMatchObject([{ type: 'reasoning' }, ...output])
    expect(types.at(-1)).toBe('response.completed')
    expect(numbers).toEqual(numbers.map((_, index) => index))
  })
})

test('the items of a conversation are translated', async () => {
  const { client, upstream } = await start([{ chunks: textChunks('Mild.') }])
  await client.responses.create({
    ...request,
    text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' } } },
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hi' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' },
        ],
      },
      { type: 'reasoning', id: 'rs', summary: [] },
      { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call', call_id: 'b', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'function_call_output', call_id: 'a', output: 'mild' },
      { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'hot' }] },
    ],
  })
  expect(upstream.asked[0]!.body).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { name: 'answer' } },
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { detail: 'low' } },
        ],
      },
      { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a', content: 'mild' },
      { role: 'tool', tool_call_id: 'b', content: 'hot' },
    ],
  })
})

test.each([
  ['store', { store: true }],
  ['previous_response_id', { previous_response_id: 'resp_1' }],
  ['background', { background: true }],
  ['tools.0.type', { tools: [{ type: 'web_search' }] }],
  ['input.0.type', { input: [{ type: 'item_reference', id: 'x' }] }],
])('what has no translation is a 400 that names it: %s', async (field, fields) => {
  const { client, upstream } = await start([{ chunks: textChunks('Hi') }])
  const asked = client.responses.create({ ...request, ...fields } as never) as Promise<unknown>
  await expect(asked).rejects.toMatchObject({ status: 400, param: field, code: 'PROXY_CANNOT_TRANSLATE' })
  expect(upstream.asked).toHaveLength(0)
})

test('a reply that reached the limit of tokens is incomplete', async () => {
  const { client } = await start([{ chunks: textChunks('It is', 4, 'length') }])
  const response = await client.responses.stream(request).finalResponse()
  expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
})

test('the loop of the AI SDK with the provider of OpenAI', async () => {
  const { url, upstream } = await start([{ chunks: textChunks(leak) }, { chunks: textChunks('It is mild.') }])
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
  const inputSchema = jsonSchema<{ city: string }>(weather.function.parameters as never)
  const tools = { weather: tool({ inputSchema, execute: ({ city }) => `mild in ${city}` }) }
  const providerOptions = { openai: { store: false } }
  const options = {
    model: provider.responses('fake'),
    tools,
    prompt: 'Weather?',
    stopWhen: stepCountIs(3),
    providerOptions,
  }
  expect(await streamText(options).text).toBe('It is mild.')
  expect(upstream.asked[1]!.body.messages).toMatchObject([
    {},
    { tool_calls: [{}] },
    { role: 'tool', content: 'mild in Oslo' },
  ])
  upstream.answers = [{ chunks: textChunks(leak) }, { chunks: textChunks('Done.') }]
  expect((await generateText(options)).text).toBe('Done.')
})
