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

test('a near miss is a comment right before the last event', async () => {
  const { url } = await start([{ chunks: textChunks('<tool_cal>{"name": "weather", "arguments": {}}</tool_cal>') }])
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true }),
  })
  expect(await response.text()).toMatch(/\n: argot near-miss: .+\n\nevent: response\.completed\ndata: .*\n\n$/)
})

describe('tools of Codex', () => {
  const patch = '*** Begin Patch\n*** Add File: "a"\n+hello\n*** End Patch'
  const grammar = 'start: "*** Begin Patch" LF hunk+'
  const tools: OpenAI.Responses.Tool[] = [
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files.',
      format: { type: 'grammar', syntax: 'lark', definition: grammar },
    },
    { type: 'function', name: 'close', parameters: { type: 'object' }, strict: false },
    {
      type: 'namespace',
      name: 'agents',
      description: 'Agents.',
      tools: [
        { type: 'function', name: 'close', parameters: { type: 'object', properties: { target: { type: 'string' } } } },
        { type: 'function', name: 'spawn', parameters: { type: 'object' } },
      ],
    },
  ]
  const hermes = (name: string, args: unknown): string =>
    `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`
  const freeform = { type: 'custom_tool_call', name: 'apply_patch', input: patch }

  test.each([0, 1])('a freeform call has its text, with %i retries', async retries => {
    const { client, upstream } = await start([{ chunks: textChunks(hermes('apply_patch', { input: patch })) }], {
      retries,
    })
    const stream = client.responses.stream({ ...request, tools })
    let input = ''
    stream.on('event', event => {
      if (event.type === 'response.custom_tool_call_input.delta') input += event.delta
    })
    expect((await stream.finalResponse()).output).toMatchObject([freeform])
    expect(input).toBe(patch)
    expect((await client.responses.create({ ...request, tools })).output).toMatchObject([freeform])
    const [sent] = upstream.asked[0]!.body.tools as { function: { name: string; description: string } }[]
    expect(sent!.function).toMatchObject({ name: 'apply_patch', parameters: { required: ['input'] } })
    expect(sent!.function.description).toMatch(/^Edits files\.[\s\S]*start: "\*\*\* Begin Patch"/)
  })

  test('a tool of a namespace is called by its own name, and a name that is taken gets a prefix upstream', async () => {
    const calls = hermes('agents__close', { target: 'a' }) + hermes('close', {}) + hermes('spawn', {})
    const { client, upstream } = await start([{ chunks: textChunks(calls) }])
    const response = await client.responses.create({ ...request, tools })
    const names = response.output.map(item => (item.type === 'function_call' ? [item.namespace, item.name] : item.type))
    expect(names).toEqual([
      ['agents', 'close'],
      [undefined, 'close'],
      ['agents', 'spawn'],
    ])
    const sent = upstream.asked[0]!.body.tools as { function: { name: string } }[]
    expect(sent.map(tool => tool.function.name)).toEqual(['apply_patch', 'close', 'agents__close', 'spawn'])
  })

  test('earlier calls and results of both go upstream as functions', async () => {
    const { client, upstream } = await start([{ chunks: textChunks('Done.') }])
    await client.responses.create({
      ...request,
      tools,
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: patch },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'Exit 0' },
        { type: 'function_call', call_id: 'b', name: 'close', namespace: 'agents', arguments: '{}' },
        { type: 'function_call_output', call_id: 'b', output: 'closed' },
      ],
    })
    expect(upstream.asked[0]!.body.messages).toMatchObject([
      { role: 'user' },
      { tool_calls: [{ id: 'a', function: { name: 'apply_patch', arguments: JSON.stringify({ input: patch }) } }] },
      { role: 'tool', tool_call_id: 'a', content: 'Exit 0' },
      { tool_calls: [{ id: 'b', function: { name: 'agents__close' } }] },
      { role: 'tool', tool_call_id: 'b', content: 'closed' },
    ])
  })

  test('a freeform call without its text is never run', async () => {
    const native = { index: 0, id: 'x', function: { name: 'apply_patch', arguments: '{"patch":"no"}' } }
    for (const retries of [0, 1]) {
      const { client } = await start([{ chunks: [{ tool_calls: [native] }, { finish: 'tool_calls' }] }], { retries })
      await expect(client.responses.create({ ...request, tools })).rejects.toThrow(/apply_patch.*can't be read/)
      const response = await client.responses.stream({ ...request, tools }).finalResponse()
      expect(response).toMatchObject({ status: 'failed', output: [] })
      await started!.close()
    }
    started = undefined
  })

  test('two tools of the same name in the same place are refused', async () => {
    const { client } = await start([{ chunks: [] }])
    const twice = [...request.tools, ...request.tools]
    await expect(client.responses.create({ ...request, tools: twice })).rejects.toMatchObject({
      status: 400,
      param: 'tools',
    })
  })
})

test('one system message at the beginning, and turns that alternate: what every chat template takes', async () => {
  const { client, upstream } = await start([{ chunks: textChunks('Hi.') }])
  const text = (value: string): OpenAI.Responses.ResponseInputText[] => [{ type: 'input_text', text: value }]
  await client.responses.create({
    ...request,
    instructions: 'A',
    input: [
      { role: 'developer', content: text('B') },
      { role: 'user', content: text('C') },
      { role: 'user', content: 'D' },
      { role: 'assistant', content: 'E' },
      { role: 'developer', content: 'F' },
    ],
  })
  expect(upstream.asked[0]!.body.messages).toEqual([
    { role: 'system', content: 'A\n\nB' },
    { role: 'user', content: 'C\n\nD' },
    { role: 'assistant', content: 'E' },
    { role: 'user', content: 'F' },
  ])
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
