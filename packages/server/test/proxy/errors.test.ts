import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { textChunks } from './fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from './start-proxy.ts'

let started: StartedProxy | undefined

afterEach(async () => {
  await started?.close()
  started = undefined
})

const { name, parameters } = weather.function
const messages = [{ role: 'user' as const, content: 'Hi' }]

/** The same request in each protocol, as a stream and not. */
const protocols: [string, (url: string, stream: boolean) => Promise<unknown>][] = [
  [
    'chat completions',
    (url, stream) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
      const request = { model: 'fake', messages, tools: [weather] }
      return stream ? client.chat.completions.stream(request).finalContent() : client.chat.completions.create(request)
    },
  ],
  [
    'messages',
    (url, stream) => {
      const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
      const tools = [{ name, input_schema: parameters as Anthropic.Tool.InputSchema }]
      const request = { model: 'fake', max_tokens: 9, messages, tools }
      return stream ? client.messages.stream(request).finalMessage() : client.messages.create(request)
    },
  ],
  [
    'responses',
    async (url, stream) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
      const tools = [{ type: 'function' as const, strict: false, ...weather.function }]
      const request = { model: 'fake', input: 'Hi', tools }
      if (!stream) return client.responses.create(request)
      const response = await client.responses.stream(request).finalResponse()
      if (response.status === 'failed') throw new Error(response.error?.message)
      return response
    },
  ],
]
const cases = protocols.flatMap(([protocol, ask]) => [true, false].map(stream => ({ protocol, ask, stream })))

describe.each(cases)('$protocol, streamed: $stream', ({ protocol, ask, stream }) => {
  test('a dead upstream is a 502 that says so, and the proxy lives', async () => {
    started = await startProxy([{ chunks: textChunks('Hello.') }])
    const { upstream, url } = started
    await upstream.close()
    await expect(ask(url, stream)).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining("can't be reached"),
    })
    expect((await fetch(`${url}/debug`)).status).toBe(200)
  })

  test("an upstream's error has its status and its words", async () => {
    started = await startProxy([{ status: 429, error: { message: 'Slow down.', type: 'rate_limit' } }])
    await expect(ask(started.url, stream)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('Slow down.'),
    })
  })

  test('a redirect is not followed', async () => {
    started = await startProxy([{ text: '', status: 307, headers: { location: 'http://127.0.0.1:1/' } }])
    await expect(ask(started.url, stream)).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('redirect'),
    })
  })

  test.runIf(stream)('a stream that is cut ends with an error, after the text that came', async () => {
    started = await startProxy([{ breaksAfter: textChunks('Hello there').slice(0, -1) }])
    await expect(ask(started.url, true)).rejects.toThrow(/in the middle of its reply/)
    await expect.poll(() => started!.lines.at(-1)).toContain('error: ')
  })

  test.runIf(stream)('an error within a stream ends it', async () => {
    started = await startProxy([
      { chunks: [{ content: 'Hel' }, { error: { message: 'CUDA out of memory', code: 500 } }] },
    ])
    await expect(ask(started.url, true)).rejects.toThrow(/CUDA out of memory/)
  })

  test('a reply that is not JSON is an error', async () => {
    started = await startProxy([{ text: '<html>', type: 'text/html' }])
    await expect(ask(started.url, stream)).rejects.toThrow(/not JSON/)
  })

  test('bad JSON is a 400 in the words of the protocol', async () => {
    started = await startProxy([{ chunks: [] }])
    const path = protocol === 'chat completions' ? 'chat/completions' : protocol
    const response = await fetch(`${started.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model": ',
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('JSON') },
    })
  })
})

describe('other paths', () => {
  test('pass through to the byte, with the query and the key', async () => {
    started = await startProxy([
      {
        text: '{"data": [ 1 ]}',
        headers: { 'x-request-id': 'r1', 'access-control-allow-origin': '*', 'set-cookie': 'a=b' },
      },
    ])
    const { url, upstream } = started
    const response = await fetch(`${url}/v1/embeddings?x=1`, {
      method: 'POST',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json', cookie: 'a=b' },
      body: '{"input": [ 1 ]}',
    })
    expect(await response.text()).toBe('{"data": [ 1 ]}')
    expect(response.headers.get('x-request-id')).toBe('r1')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(upstream.asked[0]).toMatchObject({ method: 'POST', path: '/v1/embeddings?x=1', body: { input: [1] } })
    expect(upstream.asked[0]!.headers.authorization).toBe('Bearer k')
    expect(upstream.asked[0]!.headers.cookie).toBeUndefined()
  })

  test('the list of models is the upstream’s', async () => {
    started = await startProxy([{ text: '{"object":"list","data":[{"id":"qwen3","object":"model"}]}' }])
    const client = new OpenAI({ baseURL: `${started.url}/v1`, apiKey: 'none' })
    expect((await client.models.list()).data).toMatchObject([{ id: 'qwen3' }])
    expect(started.upstream.asked[0]).toMatchObject({ method: 'GET', path: '/v1/models' })
  })

  test.each([
    ['GET', 'models'],
    ['POST', 'embeddings'],
    ['POST', 'chat/completions'],
  ])(
    '%s %s without tools: a redirect is not followed, and a dead upstream is a 502 in the format of the client',
    async (method, path) => {
      started = await startProxy([{ text: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } }])
      const { url, upstream } = started
      const ask = async (headers: Record<string, string>): Promise<[number, unknown]> => {
        const body = method === 'POST' ? { body: JSON.stringify({ model: 'fake', messages }) } : {}
        const response = await fetch(`${url}/v1/${path}`, {
          method,
          redirect: 'manual',
          headers: { 'content-type': 'application/json', ...headers },
          ...body,
        })
        expect(response.headers.get('location')).toBeNull()
        return [response.status, await response.json()]
      }
      expect(await ask({})).toMatchObject([502, { error: { message: expect.stringContaining('redirect') } }])
      await upstream.close()
      expect(await ask({})).toMatchObject([502, { error: { code: 'PROXY_UPSTREAM_UNREACHABLE' } }])
      if (path !== 'chat/completions')
        expect(await ask({ 'anthropic-version': '2023-06-01' })).toMatchObject([
          502,
          { type: 'error', error: { type: 'api_error' } },
        ])
    },
  )

  test('a chat without tools is passed on to the byte', async () => {
    const text =
      ': hello\n\ndata: {"choices":[{"index":0,"delta":{"content":"<think>a</think> b"}}], "odd": 1}\n\ndata: [DONE]\n\n'
    started = await startProxy([{ text, type: 'text/event-stream' }])
    const response = await fetch(`${started.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake', messages, stream: true }),
    })
    expect(await response.text()).toBe(text)
  })
})

test('fields that the proxy does not read are passed on: logprobs, timings, usage, several choices', async () => {
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'A' }, logprobs: { content: [{ token: 'A' }] } }] },
    { choices: [{ index: 1, delta: { role: 'assistant', content: 'B' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], timings: { prompt_ms: 3 } },
    { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ]
  started = await startProxy([{ chunks }])
  const client = new OpenAI({ baseURL: `${started.url}/v1`, apiKey: 'none' })
  const stream = await client.chat.completions.create({ model: 'fake', messages, tools: [weather], n: 2, stream: true })
  const got: Record<string, unknown>[] = []
  for await (const chunk of stream) got.push(chunk as never)
  const text = JSON.stringify(got)
  expect(got.at(-1)).toMatchObject({ usage: { total_tokens: 5 }, choices: [] })
  expect(text).toContain('"token":"A"')
  expect(text).toContain('"prompt_ms":3')
  expect(got.every(({ id }) => id === 'chatcmpl-1')).toBe(true)
  expect(got.filter(({ choices }) => JSON.stringify(choices).includes('"finish_reason":"stop"'))).toHaveLength(2)
})

test('a client that leaves ends the request to the upstream', async () => {
  let left = false
  started = await startProxy([
    response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n')
      response.on('close', () => {
        left = true
      })
    },
  ])
  const client = new OpenAI({ baseURL: `${started.url}/v1`, apiKey: 'none' })
  const stream = await client.chat.completions.create({ model: 'fake', messages, tools: [weather], stream: true })
  for await (const _ of stream) break
  await expect.poll(() => left).toBe(true)
})

describe.each([
  ['reading', { tools: [weather] }],
  ['passing through', {}],
])('%s a long reply', (_, fields) => {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(65_536) } }] })}\n\n`
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
  const body = JSON.stringify({ model: 'fake', messages, stream: true, ...fields })
  const headers = { 'content-type': 'application/json', host: 'localhost' }

  test('a slow client holds the upstream back, and gets everything', async () => {
    const events = 600
    let written = 0
    started = await startProxy([
      response => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const write = (): void => {
          while (written < events) {
            written++
            if (!response.write(event)) return void response.once('drain', write)
          }
          response.end(end)
        }
        write()
      },
    ])
    const request = new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body })
    const response = await started.proxy.fetch(request)
    for (let turn = 0, last = -1; turn < 200 || written !== last; turn++) {
      last = written
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    expect(written).toBeLessThan(events / 2)
    const text = await response.text()
    expect(text.match(/x{65536}/g)).toHaveLength(events)
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('a client that leaves in the middle ends the request to the upstream', async () => {
    let left = false
    started = await startProxy([
      response => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.on('close', () => {
          left = true
        })
        const write = (): void => {
          while (!response.destroyed && response.write(event));
          if (!response.destroyed) response.once('drain', write)
        }
        write()
      },
    ])
    const request = new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body })
    const reader = (await started.proxy.fetch(request)).body!.getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => left).toBe(true)
  })
})

test('a reply that breaks off while it is passed through breaks off for the client, too', async () => {
  started = await startProxy([{ breaksAfter: textChunks('Hello there').slice(0, -1) }])
  const response = await fetch(`${started.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake', messages, stream: true }),
  })
  await expect(response.text()).rejects.toThrow()
})
