import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProxy } from '@argot/server/proxy'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { startUpstream, textChunks } from '../proxy/fake-upstream.ts'
import { type StartedProxy, startProxy, weather } from '../proxy/start-proxy.ts'

let started: StartedProxy | undefined

afterEach(async () => {
  await started?.close()
  started = undefined
})

const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'fake', messages: [{ role: 'user', content: 'Hi' }], tools: [weather] })

/** Sends a path as it is written, which `fetch` would normalise. */
async function rawGet(url: string, path: string): Promise<string> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    })
    let text = ''
    socket.on('data', piece => {
      text += piece.toString()
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

describe('addresses', () => {
  const escapes = [
    '/v1/../api/tags',
    '/v1/%2e%2e/api/tags',
    '/v1/..%2fapi/tags',
    '/v1/..%5capi/tags',
    '/v1/%252e%252e/api/tags',
    '/v1/%252e%252e%252fapi',
    '/v1/x/%2e%2e/%2e%2e/api/tags',
    '/v1%2f..%2fapi/tags',
    '/api/tags',
    '//evil.example/v1/models',
    'http://evil.example/v1/models',
    '/v1\\..\\api',
    '/v1/@evil.example/../../x',
    '/v10/models',
  ]

  test.each(escapes)('%s never leaves the base path of the upstream', async path => {
    started = await startProxy([{ text: '{}' }])
    const answer = await rawGet(started.url, path)
    expect(answer).toMatch(/^HTTP\/1\.1 [24]\d\d/)
    for (const { path: asked } of started.upstream.asked) {
      expect(asked).toMatch(/^\/v1\//)
      expect(decodeURIComponent(decodeURIComponent(asked))).not.toMatch(/\.\.|\\/)
    }
  })

  test('whatever a path is, requests stay below the base path', async () => {
    const upstream = await startUpstream({ text: '{}' })
    const proxy = createProxy({ upstream: `${upstream.url}/deep/base` })
    const segment = fc.constantFrom(
      '..',
      '%2e%2e',
      '..%2f',
      '%252e',
      '.',
      'a',
      '%2f',
      '%5c',
      '',
      '%00',
      'v1',
      '@b',
      '?x=/../',
      '#y',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 8 }), async segments => {
        const url = `http://localhost/v1/${segments.join('/')}`
        const before = upstream.asked.length
        const response = await proxy.fetch(new Request(url))
        await response.arrayBuffer()
        for (const { path } of upstream.asked.slice(before)) {
          expect(new URL(path, 'http://x').pathname).toMatch(/^\/v1\/deep\/base(?:\/|$)/)
        }
      }),
      { numRuns: shareOf(200) },
    )
    proxy.close()
    await upstream.close()
  })

  test.each([
    'file:///etc/passwd',
    'http://user:pass@localhost/v1',
    'ftp://localhost/v1',
    'localhost:11434',
    'http://a/v1?x=1',
  ])('an upstream like %s is refused', upstream => {
    expect(() => createProxy({ upstream })).toThrow(expect.objectContaining({ code: 'PROXY_BAD_UPSTREAM' }))
  })

  test('images and files of a request are not fetched', async () => {
    const other = await startUpstream({ text: 'secret' })
    started = await startProxy([{ chunks: textChunks('Hi') }], { teach: true })
    const content = [{ type: 'image_url', image_url: { url: `${other.url}/image.png` } }]
    const request = { model: 'fake', messages: [{ role: 'user', content }], tools: [weather] }
    await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers: json, body: JSON.stringify(request) })
    expect(other.asked).toHaveLength(0)
    await other.close()
  })
})

describe('pages of other sites', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a name that was made to lead here', { host: 'evil.example' }, 421],
  ])('%s is refused, and nothing goes upstream', async (_, headers, status) => {
    const upstream = await startUpstream({ text: '{}' })
    const proxy = createProxy({ upstream: upstream.url })
    for (const path of [
      '/v1/models',
      '/v1/chat/completions',
      '/v1/messages',
      '/v1/responses',
      '/debug/requests',
      '/v1/x',
    ]) {
      const method = path.includes('models') || path.startsWith('/debug') ? 'GET' : 'POST'
      const request = new Request(`http://localhost:1${path}`, {
        method,
        headers: { ...json, ...headers },
        ...(method === 'POST' ? { body } : {}),
      })
      expect((await proxy.fetch(request)).status, path).toBe(status)
    }
    expect(upstream.asked).toHaveLength(0)
    proxy.close()
    await upstream.close()
  })

  test('a form can not ask a model: only JSON with its own type is read', async () => {
    started = await startProxy([{ chunks: textChunks('Hi') }])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const response = await fetch(`${started.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
      expect(response.status).toBe(415)
    }
    expect(started.upstream.asked).toHaveLength(0)
  })
})

describe('the token', () => {
  const token = 'a-long-secret-token'

  test.each([
    {},
    { 'x-argot-token': 'wrong' },
    { authorization: `Bearer ${token}` },
    { 'x-argot-token': `${token} x` },
  ])('without it nothing is asked or shown: %j', async headers => {
    started = await startProxy([{ text: '{}' }], { token })
    for (const path of ['/v1/models', '/v1/chat/completions', '/v1/messages/count_tokens', '/debug/requests']) {
      const method = path.includes('chat') || path.includes('count') ? 'POST' : 'GET'
      const response = await fetch(started.url + path, {
        method,
        headers: { ...json, ...headers },
        ...(method === 'POST' ? { body } : {}),
      })
      expect(response.status, path).toBe(401)
    }
    expect(started.upstream.asked).toHaveLength(0)
  })

  test('it stays here: the upstream gets its own key and not the token', async () => {
    started = await startProxy([{ chunks: textChunks('Hi') }], { token })
    const headers = { ...json, 'x-argot-token': token, authorization: 'Bearer upstream-key' }
    await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers, body })
    await fetch(`${started.url}/v1/models`, { headers })
    for (const asked of started.upstream.asked) {
      expect(asked.headers.authorization).toBe('Bearer upstream-key')
      expect(JSON.stringify(asked.headers)).not.toContain(token)
    }
    expect(started.upstream.asked).toHaveLength(2)
  })
})

describe('keys', () => {
  const key = 'very-secret-key-0123456789'

  test.each(['authorization', 'x-api-key', 'x-custom-token'])(
    'one in %s is in no log line and not on the page, wherever a model or an error says it',
    async header => {
      const value = header === 'authorization' ? `Bearer ${key}` : key
      const text = `Your key is ${key}. <tool_call>{"name": "weather", "arguments": {"city": "${key}"}}</tool_call>`
      const lines: string[] = []
      started = await startProxy(
        [
          { chunks: [{ reasoning: `key ${key}` }, ...textChunks(text)] },
          { status: 401, error: { message: `Bad key: ${key}` } },
        ],
        {
          log: line => lines.push(line),
        },
      )
      for (const model of ['fake', key]) {
        const request = { ...(JSON.parse(body) as object), model }
        await fetch(`${started.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...json, [header]: value },
          body: JSON.stringify(request),
        })
      }
      const shown = await (await fetch(`${started.url}/debug/requests`)).text()
      expect(shown).toContain('[key]')
      expect(shown).not.toContain(key)
      expect(lines.join('\n')).not.toContain(key)
    },
  )

  test('one that the cut of a long text would split', async () => {
    const lines: string[] = []
    for (let shift = 0; shift < key.length + 2; shift += 5) {
      const text = 'x'.repeat(32 * 1024 - shift) + key
      started = await startProxy([{ chunks: textChunks(text, 8000) }], { log: line => lines.push(line) })
      await fetch(`${started.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${key}` },
        body,
      })
      const shown = await (await fetch(`${started.url}/debug/requests`)).text()
      expect(shown).not.toContain(key.slice(0, 8))
      await started.close()
      started = undefined
    }
  })
})

describe('the debug page', () => {
  test('runs no script of a model: its data is JSON that the page writes as text', async () => {
    started = await startProxy([{ chunks: textChunks('<script>alert(1)</script><img src=x onerror=alert(1)>') }])
    await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers: json, body })
    const page = await fetch(`${started.url}/debug`)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    const data = await fetch(`${started.url}/debug/requests`)
    expect(data.headers.get('content-type')).toContain('application/json')
    expect(data.headers.get('x-content-type-options')).toBe('nosniff')
    const script = await (await fetch(`${started.url}/debug/page.js`)).text()
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/)
  })

  test('keeps the last requests only', async () => {
    started = await startProxy([{ chunks: textChunks('Hi') }], { limits: { debugRecords: 3 } })
    for (let count = 0; count < 6; count++) {
      await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers: json, body })
    }
    const { requests } = (await (await fetch(`${started.url}/debug/requests`)).json()) as { requests: { id: number }[] }
    expect(requests.map(({ id }) => id)).toEqual([6, 5, 4])
  })

  test('no control character of a model reaches the terminal', async () => {
    started = await startProxy([{ status: 500, error: { message: 'a\u001b[2Jb\r\nc\u202ed' } }])
    await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers: json, body })
    await expect.poll(() => started!.lines.length).toBe(1)
    expect(started.lines[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('limits', () => {
  test('a body that is too long is a 413, and nothing goes upstream', async () => {
    started = await startProxy([{ chunks: textChunks('Hi') }], { limits: { bodyBytes: 1000 } })
    for (const path of ['chat/completions', 'messages', 'responses', 'embeddings']) {
      const response = await fetch(`${started.url}/v1/${path}`, {
        method: 'POST',
        headers: json,
        body: `{"x": "${'x'.repeat(2000)}"}`,
      })
      expect(response.status, path).toBe(413)
    }
    expect(started.upstream.asked).toHaveLength(0)
  })

  test('an endless reply ends with an error', async () => {
    started = await startProxy(
      [
        response => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(1000) } }] })}\n\n`
          const write = (): void => {
            while (!response.destroyed && response.write(event));
            if (!response.destroyed) response.once('drain', write)
          }
          write()
        },
      ],
      { limits: { replyBytes: 100_000 } },
    )
    const request = JSON.stringify({ ...(JSON.parse(body) as object), stream: true })
    const response = await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers: json, body: request })
    expect(await response.text()).toContain('more than 100000 bytes')
  })

  test('requests over the limit are a 429, and places are given back', async () => {
    started = await startProxy([{ chunks: [{ content: 'Hi' }], done: false, hangs: true }], { limits: { streams: 2 } })
    const request = JSON.stringify({ ...(JSON.parse(body) as object), stream: true })
    const ask = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${started!.url}/v1/chat/completions`, {
        method: 'POST',
        headers: json,
        body: request,
        ...(signal ? { signal } : {}),
      })
    const leaving = new AbortController()
    const open = [await ask(leaving.signal), await ask(leaving.signal)]
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    expect((await ask()).status).toBe(429)
    leaving.abort()
    started.upstream.answers = [{ chunks: textChunks('Hi') }]
    await expect.poll(async () => (await ask()).status).toBe(200)
  })
})

test.each([
  ['names of tools like __proto__', '<tool_call>{"name": "__proto__", "arguments": {}}</tool_call>'],
  [
    'arguments like __proto__',
    '<tool_call>{"name": "weather", "arguments": {"city": "Oslo", "__proto__": {"admin": true}}}</tool_call>',
  ],
])('%s change nothing else', async (_, text) => {
  started = await startProxy([{ chunks: textChunks(text) }], { retries: 0 })
  await fetch(`${started.url}/v1/chat/completions`, { method: 'POST', headers: json, body })
  expect(({} as Record<string, unknown>).admin).toBeUndefined()
})

describe('hostile requests', () => {
  const deep = (depth: number, inner: string): string => `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`
  const wrong = (tools: unknown): string =>
    JSON.stringify({ model: 'fake', max_tokens: 9, input: 'Hi', messages: [], tools })
  test.each([
    ['no tools but a text', wrong('x')],
    ['a tool that is no object', wrong([1])],
    [
      'namespaces in namespaces',
      wrong([{ type: 'namespace', name: 'a', tools: [{ type: 'namespace', name: 'b', tools: [] }] }]),
    ],
    ['a namespace without tools', wrong([{ type: 'namespace', name: 'a' }])],
    ['a tool without a name', wrong([{ type: 'function', function: {} }])],
    ['a list instead of an object', '[]'],
    ['nothing', 'null'],
    ['JSON of any depth', `{"model":"fake","messages":${deep(5000, '1')},"input":${deep(5000, '1')}}`],
  ])('%s is a 4xx of every protocol, or goes upstream, and the proxy lives', async (_, text) => {
    started = await startProxy([{ chunks: textChunks('Hi') }])
    for (const path of ['chat/completions', 'messages', 'responses', 'messages/count_tokens']) {
      const response = await fetch(`${started.url}/v1/${path}`, { method: 'POST', headers: json, body: text })
      expect([200, 400, 413, 422], `${path} ${response.status}`).toContain(response.status)
      await response.text()
    }
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a tool, a namespace and a freeform tool may be called %s',
    async name => {
      const call = (called: string): string =>
        `<tool_call>{"name": "${called}", "arguments": {"input": "x"}}</tool_call>`
      started = await startProxy([{ chunks: textChunks(call(name) + call(`${name}__${name}`)) }])
      const tools = [
        { type: 'custom', name },
        { type: 'namespace', name, tools: [{ type: 'function', name, parameters: { type: 'object' } }] },
      ]
      const body = JSON.stringify({ model: 'fake', input: 'Hi', tools })
      const response = await fetch(`${started.url}/v1/responses`, { method: 'POST', headers: json, body })
      expect(await response.json()).toMatchObject({
        output: [
          { type: 'custom_tool_call', name, input: 'x' },
          { type: 'function_call', name, namespace: name },
        ],
      })
    },
  )

  test('many tools cost no more than their number', async () => {
    started = await startProxy([{ chunks: textChunks('Hi') }])
    const tools = Array.from({ length: 5000 }, (_, index) => ({ type: 'function', name: `tool_${index}` }))
    const body = JSON.stringify({ model: 'fake', input: 'Hi', tools })
    const response = await fetch(`${started.url}/v1/responses`, { method: 'POST', headers: json, body })
    expect(response.status).toBe(200)
  })
})

test('the proxy reaches no run, no agent and no other part of the server', () => {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, from] of readFileSync(file, 'utf8').matchAll(/(?:from|import) '([^']+)'/g)) {
      if (from!.startsWith('.')) visit(join(dirname(file), from!))
      else packages.add(from!)
    }
  }
  const source = fileURLToPath(new URL('../../src/', import.meta.url))
  visit(join(source, 'proxy/index.ts'))
  expect([...seen].filter(file => !/\/src\/(?:proxy|guard|page)\//.test(file))).toEqual([])
  expect([...packages].filter(name => !name.startsWith('node:') && !name.startsWith('@argot/core'))).toEqual([])
})
