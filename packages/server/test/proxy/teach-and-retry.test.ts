import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
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

const messages = [{ role: 'user' as const, content: 'How is the weather in Oslo?' }]
const request = { model: 'gemma:2b', messages, tools: [weather] }
const good = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
const refusals: [string, number, unknown][] = [
  ['Ollama', 400, { message: 'registry.ollama.ai/library/gemma:2b does not support tools', type: 'api_error' }],
  ['llama.cpp', 500, { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' }],
  [
    'vLLM',
    400,
    { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', code: 400 },
  ],
]

describe.each(refusals)('%s has no tool calls for a model', (_, status, error) => {
  test('the tools are taught as text, and the model is remembered', async () => {
    const { client, upstream } = await start([{ status, error }, { chunks: textChunks(good) }])
    for (const isFirst of [true, false]) {
      const { choices } = await client.chat.completions.stream(request).finalChatCompletion()
      expect(choices[0]!.message.tool_calls).toMatchObject([{ function: { name: 'weather' } }])
      expect(upstream.asked).toHaveLength(isFirst ? 2 : 3)
    }
    const { body } = upstream.asked.at(-1)!
    expect(body).not.toHaveProperty('tools')
    expect(body.messages).toMatchObject([{ role: 'system', content: expect.stringContaining('weather') }, messages[0]])
    await client.chat.completions.create({ ...request, model: 'another' })
    expect(upstream.asked.at(-1)!.body, 'other models keep their own tool calls').toHaveProperty('tools')
  })
})

describe('--teach', () => {
  test('calls and results of the history are text, and turns alternate', async () => {
    const { client, upstream } = await start([{ chunks: textChunks('It is mild.') }], { teach: true })
    const call = { id: 'a', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
    await client.chat.completions.create({
      ...request,
      messages: [
        { role: 'system', content: 'Be brief. {{tools}} stays.' },
        ...messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: '12 degrees' },
        { role: 'user', content: 'And?' },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
    })
    const { body } = upstream.asked[0]!
    const sent = body.messages as { role: string; content: string }[]
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(sent[0]!.content).toMatch(
      /^Be brief\. \{\{tools\}\} stays\.\n\n[\s\S]*must contain a tool call[\s\S]*at most one/,
    )
    expect(sent[2]!.content).toContain('"name": "weather"')
    expect(sent[3]!.content).toMatch(/12 degrees[\s\S]*\n\nAnd\?$/)
    expect(body).not.toHaveProperty('tool_choice')
    expect(body).not.toHaveProperty('parallel_tool_calls')
    expect(body.stop).toContain('<tool_response>')
  })

  test('a model gets the dialect that it was trained on', async () => {
    const { client, upstream } = await start([{ chunks: textChunks('Hello.') }], { teach: true })
    await client.chat.completions.create({ ...request, model: 'qwen3-coder:30b' })
    expect(JSON.stringify(upstream.asked[0]!.body.messages)).toContain('<function=')
  })

  test('one call with `parallel_tool_calls: false`, wherever the stream is cut', async () => {
    const two = `${good}\n${good.replace('Oslo', 'Rome')}\nResults: none.`
    const { client, upstream } = await start([{ chunks: textChunks(two) }], { teach: true })
    for (const cut of [undefined, 500, 900, 1500]) {
      upstream.cut = cut
      const stream = client.chat.completions.stream({ ...request, parallel_tool_calls: false })
      const { choices } = await stream.finalChatCompletion()
      expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [{}] } })
      expect(choices[0]!.message.tool_calls).toHaveLength(1)
      expect(choices[0]!.message.content?.trim() ?? '').toBe('')
    }
  })

  test('`tool_choice: none` teaches nothing and reads nothing', async () => {
    const { client, upstream } = await start([{ chunks: textChunks(good) }], { teach: true })
    const { choices } = await client.chat.completions.create({ ...request, tool_choice: 'none' })
    expect(choices[0]!.message.content).toBe(good)
    expect(upstream.asked[0]!.body.messages).toEqual(messages)
  })
})

test('with `--syntax NAME` only that syntax is read', async () => {
  const xml = '<weather>\n<city>Oslo</city>\n</weather>'
  for (const [syntax, text, count] of [
    ['hermes', good, 1],
    ['xml', good, 0],
    ['mistral', good, 0],
    ['mistral', '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Oslo"}}]', 1],
    ['hermes', xml, 0],
  ] as const) {
    const { client } = await start([{ chunks: textChunks(text) }], { syntax, retries: 0 })
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]!.message.tool_calls ?? [], `${syntax}: ${text}`).toHaveLength(count)
    await started!.close()
  }
  started = undefined
})

describe('a broken call', () => {
  const broken = 'I look.\n<tool_call>{"name": "weather", "arguments": {"days": 2}}</tool_call>'

  test('is sent back to the model once, and the client gets the call of the second reply', async () => {
    const { client, upstream, lines } = await start([{ chunks: textChunks(broken) }, { chunks: textChunks(good) }])
    const { choices } = await client.chat.completions.stream(request).finalChatCompletion()
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I look.\n', tool_calls: [{ function: { arguments: '{"city": "Oslo"}' } }] },
    })
    const sent = upstream.asked[1]!.body.messages as { role: string; content: string }[]
    expect(sent.slice(1)).toMatchObject([
      { role: 'assistant', content: broken },
      { role: 'user', content: expect.stringContaining('`city` of `weather` is required') },
    ])
    await expect.poll(() => lines[0]).toContain('asked 2 times')
  })

  test('stays text if the second reply is broken, too, and is not asked for a third time', async () => {
    const { client, upstream } = await start([{ chunks: textChunks(broken) }])
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]!.message.tool_calls).toBeUndefined()
    expect(choices[0]!.message.content).toBe(`I look.\n${broken}`)
    expect(upstream.asked).toHaveLength(2)
  })

  test('is not asked for again beside a good call, and the order stays', async () => {
    const { client, upstream } = await start([{ chunks: textChunks(`${broken}\nand\n${good}\nend`) }])
    const { choices } = await client.chat.completions.stream(request).finalChatCompletion()
    expect(choices[0]!.message.tool_calls).toHaveLength(1)
    expect(choices[0]!.message.content).toBe(`${broken}\nand\n\nend`)
    expect(upstream.asked).toHaveLength(1)
  })

  test('that is native with arguments that are no JSON is asked for again as text', async () => {
    const bad = [{ index: 0, id: 'x', function: { name: 'weather', arguments: '{"city": Oslo' } }]
    const { client, upstream } = await start([
      { chunks: [{ tool_calls: bad }, { finish: 'tool_calls' }] },
      { chunks: textChunks(good) },
    ])
    const { choices } = await client.chat.completions.stream(request).finalChatCompletion()
    expect(choices[0]!.message.tool_calls).toHaveLength(1)
    expect(JSON.stringify(upstream.asked[1]!.body.messages)).not.toContain('tool_calls')
  })

  test('that the upstream lost is asked for again', async () => {
    const { client } = await start([
      { chunks: [{ content: '' }, { finish: 'tool_calls' }] },
      { chunks: textChunks(good) },
    ])
    const { choices } = await client.chat.completions.stream(request).finalChatCompletion()
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [{}] } })
  })

  test('that the upstream refuses with its text is read, or asked for again', async () => {
    const unreadable = {
      status: 500,
      error: { message: `error parsing tool call: raw='{"name": "weath', err=unexpected EOF` },
    }
    const quoted = { status: 500, error: { message: `Failed to parse input at pos 3: ${good}` } }
    const { client, upstream } = await start([unreadable, quoted])
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [{}] } })
    expect(upstream.asked).toHaveLength(2)
  })

  test('whose beginning a client has got can not be run by it', async () => {
    const { client } = await start([{ chunks: textChunks(broken) }], { retries: 0 })
    const { choices } = await client.chat.completions.stream(request).finalChatCompletion()
    const [call] = choices[0]!.message.tool_calls ?? []
    expect(call?.type === 'function' && call.function.arguments).toMatch(/not a valid call/)
    expect(() => JSON.parse(call?.type === 'function' ? call.function.arguments : '{}')).toThrow()
  })
})

test('with no retries arguments arrive while the model writes them', async () => {
  const { url } = await start(
    [
      response => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const delta = (content: string): string =>
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
        response.write(delta('<tool_call>{"name": "weather", "arguments": {"city": "Oslo and'))
      },
    ],
    { retries: 0 },
  )
  const abort = new AbortController()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true }),
    signal: abort.signal,
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes('Oslo and')) break
  }
  expect(text).toContain('"arguments":"{\\"city\\": \\"Oslo and"')
  abort.abort()
})

test('the loop of the AI SDK runs tools of a model that leaks its calls', async () => {
  const { url, upstream } = await start([{ chunks: textChunks(good) }, { chunks: textChunks('It is mild in Oslo.') }])
  const provider = createOpenAICompatible({ name: 'local', baseURL: `${url}/v1` })
  const tools = {
    weather: tool({
      inputSchema: jsonSchema<{ city: string }>(weather.function.parameters as never),
      execute: ({ city }) => `mild in ${city}`,
    }),
  }
  const options = { model: provider('fake'), tools, prompt: 'Weather?', stopWhen: stepCountIs(3) }
  const { text, steps } = streamText(options)
  expect(await text).toBe('It is mild in Oslo.')
  expect((await steps)[0]!.toolResults).toMatchObject([{ output: 'mild in Oslo' }])
  expect(upstream.asked[1]!.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
    { role: 'tool', content: 'mild in Oslo' },
  ])
  upstream.answers = [{ chunks: textChunks(good) }, { chunks: textChunks('Done.') }]
  expect((await generateText(options)).text).toBe('Done.')
})
