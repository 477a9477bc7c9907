import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { listen } from '@argot/server'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { checkDescribed, readEvents, serveFolder } from './served-folder.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }

test.each([
  ['a name that was made to lead here', { host: 'evil.example' }, 421],
  ['a name that ends like ours', { host: 'localhost.evil.example' }, 421],
  ['a page of another site', { host: '127.0.0.1:4176', origin: 'https://evil.example' }, 403],
  ['a page without an origin', { host: '127.0.0.1:4176', origin: 'null' }, 403],
  ['a page at another port', { host: '127.0.0.1:4176', origin: 'http://127.0.0.1:8080' }, 403],
  ['a fetch from another site', { host: '127.0.0.1:4176', 'sec-fetch-site': 'cross-site' }, 403],
  ['a fetch from a neighbour', { host: '127.0.0.1:4176', 'sec-fetch-site': 'same-site' }, 403],
  ['our own page', { host: '127.0.0.1:4176', origin: 'http://127.0.0.1:4176', 'sec-fetch-site': 'same-origin' }, 200],
  ['a program', { host: 'localhost:4176' }, 200],
  ['the address of IPv6', { host: '[::1]:4176' }, 200],
])('%s is answered with its status, for reading and for writing', async (_, headers, status) => {
  const { ask } = await serveFolder(['Hi.'], { files: hello })
  expect((await ask('GET', '/api/documents', undefined, headers)).status).toBe(status)
  const sent = await ask('POST', '/api/runs', { document: 'hello.chatmd' }, headers)
  expect(sent.status).toBe(status === 200 ? 201 : status)
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])(
  'a body of type "%s", as a form of another site can send it, is refused',
  async type => {
    const { ask } = await serveFolder(['Hi.'], { files: hello })
    const answer = await ask('POST', '/api/runs', { document: 'hello.chatmd' }, { 'content-type': type })
    expect([answer.status, (await answer.json()) as unknown]).toMatchObject([415, { code: 'SERVER_NOT_JSON' }])
  },
)

test('with a token nobody gets in without it, and a page swaps it for a cookie that does not show it', async () => {
  const token = 'a-long-token'
  const { ask } = await serveFolder(['Hi.'], { files: hello, token })
  const paths = ['/api/documents', '/api/runs', '/api/events', '/api/openapi.json', '/api/documents/hello.chatmd']
  for (const path of paths) expect((await ask('GET', path)).status, path).toBe(401)
  expect((await ask('GET', `/api/documents?token=${token}`)).status).toBe(401)
  expect((await ask('POST', '/api/runs', { document: 'hello.chatmd' })).status).toBe(401)
  for (const wrong of ['', 'a-long-toke', 'a-long-token2', `${token} `.repeat(2)]) {
    expect((await ask('GET', '/api/documents', undefined, { authorization: `Bearer ${wrong}x` })).status).toBe(401)
    expect((await ask('POST', '/api/session', { token: `${wrong}y` })).status).toBe(401)
  }
  expect((await ask('GET', '/api/documents', undefined, { authorization: `Bearer ${token}` })).status).toBe(200)
  const session = await ask('POST', '/api/session', { token })
  expect(session.status).toBe(204)
  const cookie = session.headers.get('set-cookie')!
  expect(cookie).toContain('HttpOnly')
  expect(cookie).toContain('SameSite=Strict')
  expect(cookie).not.toContain(token)
  const own = { cookie: cookie.split(';')[0]! }
  expect((await ask('GET', '/api/documents', undefined, own)).status).toBe(200)
  expect((await ask('GET', '/healthz')).status).toBe(200)
})

test.each([
  '../outside.chatmd',
  'a/../../outside.chatmd',
  '/etc/passwd.chatmd',
  '.hidden/x.chatmd',
  '.chatmd/runs/x.chatmd',
  'node_modules/x.chatmd',
  'hello.txt',
  'hello.chatmd/../../outside.chatmd',
  'a\\..\\outside.chatmd',
  'nul\u0000.chatmd',
  'line\nbreak.chatmd',
  `${'x'.repeat(300)}.chatmd`,
  'link.chatmd',
  'linked/x.chatmd',
  'dangling.chatmd',
  '',
])('a document named %j is not served, run or written', async name => {
  const { ask, folder } = await serveFolder(['Hi.'], { files: hello })
  await writeFile(join(folder, '../outside.chatmd'), 'secret')
  await symlink(join(folder, '../outside.chatmd'), join(folder, 'link.chatmd'))
  await mkdir(join(folder, '../elsewhere'))
  await symlink(join(folder, '../elsewhere'), join(folder, 'linked'))
  await symlink(join(folder, '../not-there.chatmd'), join(folder, 'dangling.chatmd'))
  for (const path of [name, ...(name.includes('..') ? [name.replaceAll('/', '%2f')] : [])]) {
    const at = path.includes('%') ? path : encodeURIComponent(path)
    for (const one of [`/api/documents/${at}`, `/api/documents/${at}/messages`, `/api/documents/${at}/check`]) {
      const answer = await ask('GET', one)
      expect([400, 404], `${one} ${answer.status}`).toContain(answer.status)
      expect(await answer.text()).not.toContain('secret')
    }
    expect([400, 404]).toContain((await ask('PUT', `/api/documents/${at}`, 'x')).status)
    expect([400, 404, 405]).toContain((await ask('POST', `/api/documents/${at}/check`, 'x')).status)
  }
  expect([400, 404]).toContain((await ask('POST', '/api/runs', { document: name })).status)
  const chat = {
    id: name.replace(/\.chatmd$/, ''),
    messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  }
  if (!['hello.txt', ''].includes(name) && !name.startsWith('x')) {
    expect([400, 404]).toContain((await ask('POST', '/api/chat', chat)).status)
  }
})

test('bodies, streams and queues have limits with a name, and what is over them is answered at once', async () => {
  let go = (): void => {}
  const gate = new Promise<void>(resolve => {
    go = resolve
  })
  const { ask, post, until } = await serveFolder(['Hi.', 'Hi.', 'Hi.'], {
    files: hello,
    limits: {
      bodyBytes: 1000,
      documentBytes: 1000,
      queueLength: 1,
      readersPerRun: 2,
      streamsPerClient: 3,
      messages: 2,
    },
    before: { before: (part, step) => (step === 0 && part.type === 'text-end' ? gate : undefined) },
  })
  const long = await ask('POST', '/api/runs', { document: 'hello.chatmd', input: 'x'.repeat(2000) })
  expect([long.status, await long.json()]).toMatchObject([413, { code: 'SERVER_BODY_TOO_LONG', most: 1000 }])
  expect((await ask('PUT', '/api/documents/new.chatmd', 'x'.repeat(2000))).status).toBe(413)
  const user = { id: '1', role: 'user', parts: [{ type: 'text', text: 'x' }] }
  expect((await ask('POST', '/api/chat', { id: 'c', messages: [user, user, user] })).status).toBe(413)
  const run = await post('/api/runs', { document: 'hello.chatmd' })
  const queued = await post('/api/runs', { document: 'hello.chatmd', input: 'One.' })
  const full = await ask('POST', '/api/runs', { document: 'hello.chatmd', input: 'Two.' })
  expect(full.status).toBe(429)
  expect(full.headers.get('retry-after')).not.toBeNull()
  const streams = [0, 1].map(() => ask('GET', `/api/runs/${run.id}/stream`))
  const readers = await Promise.all(streams)
  for (const { body } of readers) await body!.getReader().read()
  expect((await ask('GET', `/api/runs/${run.id}/stream`)).status).toBe(429)
  const events = await ask('GET', '/api/events')
  expect(events.status).toBe(200)
  expect((await ask('GET', '/api/events')).status).toBe(429)
  await events.body!.cancel()
  expect((await ask('GET', '/api/events')).status).toBe(200)
  go()
  await until(queued.id, 'done')
})

test.each([
  ['runs that cannot be read', 'GET', '/api/events?runs=%25@0', undefined, 400],
  ['a state that there is not', 'GET', '/api/runs?state=nope', undefined, 400],
  ['a message that is not there', 'GET', '/api/documents/hello.chatmd/messages?before=nope', undefined, 404],
  ['a folder', 'GET', '/api/documents/folder.chatmd', undefined, 404],
  ['the messages of a folder', 'GET', '/api/documents/folder.chatmd/messages', undefined, 404],
  ['a change of a folder', 'PUT', '/api/documents/folder.chatmd', 'x', 404],
  ['a run of a folder', 'POST', '/api/runs', { document: 'folder.chatmd' }, 404],
  ['a document in a document', 'GET', '/api/documents/hello.chatmd/x.chatmd', undefined, 400],
  ['a new document in a document', 'PUT', '/api/documents/hello.chatmd/x.chatmd', 'x', 400],
  ['a run of a document in a document', 'POST', '/api/runs', { document: 'hello.chatmd/x.chatmd' }, 400],
  ['nothing', 'POST', '/api/runs', undefined, 400],
  ['a message without words', 'POST', '/api/runs', { document: 'hello.chatmd', input: user({ text: ' ' }) }, 400],
  ['words that are not text', 'POST', '/api/chat', { id: 'hello', messages: [user({ text: 5 })] }, 400],
  ['a message of a tool', 'POST', '/api/runs', { document: 'hello.chatmd', input: user({ text: 'x' }, 'tool') }, 400],
  ['a body that is too deep', 'POST', '/api/runs', { document: 'hello.chatmd', input: user({ x: deep(1000) }) }, 400],
  ['an output that is too deep', 'POST', '/api/runs/x/outputs', { toolCallId: 'x', output: deep(1000) }, 400],
  ['brackets in a text', 'POST', '/api/runs', { document: 'hello.chatmd', input: '"['.repeat(1000) }, 201],
])('%s: %s %s is answered with its status, and is not a mistake of ours', async (_, method, path, body, status) => {
  const mistakes: string[] = []
  const { ask, folder } = await serveFolder(['Hi.'], { files: hello, notice: text => mistakes.push(text) })
  await mkdir(join(folder, 'folder.chatmd'))
  const headers: Record<string, string> = path.includes('folder') && method === 'PUT' ? { 'if-match': '*' } : {}
  const answer = await ask(method, path, body, headers)
  expect([answer.status, await answer.json()]).toEqual([status, expect.anything()])
  expect(mistakes).toEqual([])
})

test('a document that is not text is answered with 422 by whatever reads it, and is listed', async () => {
  const mistakes: string[] = []
  const { ask, folder, get } = await serveFolder(['Hi.'], { files: hello, notice: text => mistakes.push(text) })
  await writeFile(join(folder, 'hello.chatmd'), Buffer.from([0xff, 0xfe, 0x00]))
  const at = '/api/documents/hello.chatmd'
  for (const end of ['', '/messages', '/check', '/preview', '/settings']) {
    expect([end, (await ask('GET', at + end)).status]).toEqual([end, 422])
  }
  expect((await ask('POST', '/api/runs', { document: 'hello.chatmd' })).status).toBe(422)
  expect(await get('/api/documents')).toMatchObject([{ path: 'hello.chatmd', state: 'idle' }])
  expect(mistakes).toEqual([])
})

function user(part: object, role = 'user'): object {
  return { id: '1', role, parts: [{ type: 'text', ...part }] }
}

function deep(levels: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '../x',
    '__proto__',
    'constructor',
    '%00',
    '%ff',
    '..%2f',
    'hello.chatmd',
    '-1',
    '1e400',
    'a@b',
    '@',
    ',',
  ),
)
const hostileBody = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      document: fc.oneof(hostileText, fc.jsonValue()),
      input: fc.oneof(hostileText, fc.jsonValue()),
      mode: hostileText,
      id: fc.oneof(hostileText, fc.jsonValue()),
      messages: fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.record({ id: fc.jsonValue(), role: fc.constantFrom('user', 'assistant', 'x'), parts: fc.jsonValue() }),
        ),
      ),
      answers: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())),
      toolCallId: fc.jsonValue(),
      output: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
)
const hostileRequest = (run: string) =>
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
    path: fc.oneof(
      fc.constantFrom('/api/chat', '/api/runs', '/api/session', '/api/documents', '/api/events', '/', '/api'),
      fc
        .tuple(fc.constantFrom('/api/runs/', '/api/documents/', '/api/chat/'), hostileText)
        .map(([at, text]) => at + encodeURIComponent(text)),
      fc
        .tuple(
          fc.constantFrom('/api/runs/', '/api/documents/', '/api/chat/'),
          fc.oneof(fc.constantFrom(run, 'hello.chatmd', 'hello'), hostileText),
          fc.constantFrom(
            ...['/approvals', '/outputs', '/stream', '/log', '/calls/x/output', '/stop'],
            ...['/messages', '/check', '/preview', '/settings', '/branch'],
          ),
        )
        .map(([at, text, end]) => at + encodeURIComponent(text) + end),
    ),
    query: fc.dictionary(
      fc.constantFrom('from', 'before', 'limit', 'format', 'state', 'document', 'runs', 'offset', 'live', 'cursor'),
      hostileText,
    ),
    type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=x', ''),
    body: fc.oneof(
      hostileBody.map(value => JSON.stringify(value)),
      hostileText,
    ),
    headers: fc.dictionary(
      fc.constantFrom(
        'last-event-id',
        'idempotency-key',
        'if-match',
        'range',
        'cookie',
        'authorization',
        'x-argot-chunks',
      ),
      fc.string({ maxLength: 20 }).map(text => text.replaceAll(/[^\x20-\x7e]/g, '')),
    ),
  })

test('whatever is sent is answered, never with a mistake of ours, and documents stay whole', async () => {
  const mistakes: string[] = []
  const asks = [...call('x', 'ask_user', { question: 'Which?' }), finish('tool-calls')]
  const { ask, server, read, post } = await serveFolder([asks, 'Hi.'], {
    files: {
      'hello.chatmd': '<user>\nHello.\n</user>\n\n<assistant>\nHi.\n</assistant>\n',
      'asks.chatmd': '<tool name="ask_user"/>\n<user>\nAsk.\n</user>\n',
    },
    notice: text => mistakes.push(text),
    limits: { streams: 100_000, streamsPerClient: 100_000, readersPerRun: 100_000 },
  })
  const { id } = await post('/api/runs', { document: 'asks.chatmd' })
  const before = await read('hello.chatmd')
  await fc.assert(
    fc.asyncProperty(hostileRequest(id), async ({ method, path, query, type, body, headers }) => {
      const address = `http://127.0.0.1:4176${path}?${new URLSearchParams(query)}`
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const init = { method, headers: { ...headers, 'content-type': type }, ...(hasBody && { body }) }
      const answer = await server.fetch(new Request(address, init))
      expect(answer.status, JSON.stringify({ method, path, query, body })).toBeLessThan(500)
      checkDescribed(server, method, path, answer.status)
      if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) await answer.body?.cancel()
      else if (answer.status >= 400 && method !== 'HEAD') {
        expect(await answer.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
      }
    }),
    { numRuns: Number(process.env.REQUESTS ?? 1000), endOnFailure: true },
  )
  expect(mistakes.filter(text => text.includes('mistake'))).toEqual([])
  expect((await read('hello.chatmd')).startsWith(before)).toBe(true)
  const documents = (await (await ask('GET', '/api/documents')).json()) as { path: string }[]
  expect(documents.map(({ path }) => path)).toContain('hello.chatmd')
  for (const { path } of documents) {
    const at = path.split('/').map(encodeURIComponent).join('/')
    expect((await ask('GET', `/api/documents/${at}/messages`)).status, path).toBe(200)
  }
})

test('malformed HTTP and a sender that never ends leave the server up', async () => {
  const { server } = await serveFolder(['Hi.'], { files: hello })
  const listening = await listen(server, { port: 0 })
  onTestFinished(() => listening.close())
  const send = (text: string): Promise<string> =>
    new Promise(resolve => {
      const socket = connect(listening.port, '127.0.0.1', () => socket.end(text))
      let got = ''
      socket.on('data', data => {
        got += data.toString('latin1')
      })
      socket.on('close', () => resolve(got))
      socket.on('error', () => resolve(got))
    })
  const head = `Host: 127.0.0.1:${listening.port}\r\n`
  const texts = [
    'GARBAGE\r\n\r\n',
    `GET http://evil/ HTTP/1.1\r\n${head}\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${head}\r\n`,
    `POST /api/runs HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /api/runs HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 999999\r\n\r\n{"doc`,
    `GET /api/documents HTTP/1.1\r\n${`x: ${'y'.repeat(100)}\r\n`.repeat(500)}${head}\r\n`,
    `GET /api/documents HTTP/1.1\r\n\r\n`,
    `GET /%E0%A4%A HTTP/1.1\r\n${head}\r\n`,
    `GET /api/documents/%E0%A4%A.chatmd HTTP/1.1\r\n${head}\r\n`,
  ]
  for (const text of texts) expect(await send(text)).not.toContain('HTTP/1.1 2')
  const open = connect(listening.port, '127.0.0.1')
  open.write(`POST /api/runs HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{`)
  const status = await new Promise<number>((resolve, reject) => {
    request({ port: listening.port, path: '/api/documents' }, answer => resolve(answer.statusCode!))
      .on('error', reject)
      .end()
  })
  expect(status).toBe(200)
  open.destroy()
})

test('a key in the output of a tool or in an error is not shown by any route', async () => {
  const key = 'sk-very-secret-key-1234567890'
  const { post, until, ask } = await serveFolder([[{ type: 'error', error: new Error(`refused ${key}`) }] as never], {
    files: hello,
    run: { env: { OPENAI_API_KEY: key } },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  const run = await until(id, 'failed')
  expect(JSON.stringify(run)).not.toContain(key)
  const { events } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, { 'x-argot-chunks': '1' }))
  expect(JSON.stringify(events)).not.toContain(key)
})

test('the page gives its own files and nothing else, whatever is asked for', async () => {
  const mistakes: string[] = []
  const served = await serveFolder(['Hi.'], { files: hello })
  await mkdir(join(served.folder, '../page/assets'), { recursive: true })
  await writeFile(join(served.folder, '../page/index.html'), '<!doctype html>')
  await writeFile(join(served.folder, '../page/secret.txt'), 'secret')
  await writeFile(join(served.folder, '../outside.js'), 'secret')
  await symlink(join(served.folder, '../outside.js'), join(served.folder, '../page/assets/link.js'))
  const { ask } = await serveFolder(['Hi.'], {
    files: hello,
    page: join(served.folder, '../page'),
    notice: text => mistakes.push(text),
  })
  const page = await ask('GET', '/')
  expect([page.status, page.headers.get('content-security-policy')]).toMatchObject([
    200,
    expect.stringContaining("default-src 'self'"),
  ])
  await mkdir(join(served.folder, '../page/playground'))
  await writeFile(join(served.folder, '../page/playground/index.html'), '<!doctype html>play')
  const redirect = await ask('GET', '/playground')
  expect([redirect.status, redirect.headers.get('location')]).toEqual([308, 'playground/'])
  const playground = await ask('GET', '/playground/')
  expect([await playground.text(), playground.headers.get('content-security-policy')]).toEqual([
    '<!doctype html>play',
    page.headers.get('content-security-policy'),
  ])
  const paths = [
    '/%E0%A4%A',
    '/..%2foutside.js',
    '/assets/link.js',
    '/secret.txt',
    '/assets',
    '/assets/',
    '/nope.js',
    '/%00.js',
    '/api/nope',
  ]
  for (const path of paths) {
    const answer = await ask('GET', path)
    expect([path, answer.status]).toEqual([path, ['/%E0%A4%A', '/%00.js'].includes(path) ? 400 : 404])
    expect(await answer.text()).not.toContain('secret')
  }
  expect(mistakes).toEqual([])
})
