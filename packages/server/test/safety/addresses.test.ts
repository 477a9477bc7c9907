import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '@argot/server'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { serveFolder } from '../served-folder.ts'

const files = { 'hello.chatmd': '<user>\nHello.\n</user>\n', 'sub/two words.chatmd': '<user>\nTwo.\n</user>\n' }

/** What a link on another site makes a browser send. */
const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

async function makePage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-page-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'index.html'), '<title>The page</title>')
  await mkdir(join(folder, 'api'))
  await writeFile(join(folder, 'api', 'documents.json'), '"a file of the page"')
  return folder
}

const spellings = [
  '/%61pi/documents',
  '/%61%70%69/documents',
  '/api%2Fdocuments',
  '/api/%64ocuments',
  '//api/documents',
  '/./api/documents',
  '/x/../api/documents',
  '/%2e/api/documents',
  '/x/%2e%2e/api/documents',
  '/x/..%2fapi/documents',
  '/api/..%2fapi/documents',
  '\\api\\documents',
  '/%5Capi/documents',
  '/%2561pi/documents',
  '/API/documents',
  '/api./documents',
  '/api/documents/',
  '/api/documents%00',
  '/api/documents%0a',
  '/api/documents/%',
  '/api/documents/%zz',
  '/api/documents/%ff',
  '/api/documents/%c0%af.chatmd',
  '/%',
]

/** Pieces of addresses, each in the ways in which an attacker writes it. */
const piece = fc.constantFrom(
  ...['api', 'documents', 'runs', 'events', 'hello.chatmd', 'healthz', 'index.html', '', '.', '..', 'x', 'API', 'api.'],
)
const encoded = fc.tuple(piece, fc.array(fc.nat(3), { maxLength: 12 })).map(([text, ways]) =>
  Array.from(text, (letter, index) => {
    const hex = letter.charCodeAt(0).toString(16).padStart(2, '0')
    return [letter, `%${hex}`, `%${hex.toUpperCase()}`, `%25${hex}`][ways[index] ?? 0]
  }).join(''),
)
const between = fc.constantFrom(
  '/',
  '/',
  '/',
  '/',
  '//',
  '\\',
  '%2f',
  '%5c',
  '/./',
  '/%2e/',
  '/x/../',
  '%00',
  '%',
  '%c3',
)
const address = fc
  .tuple(
    fc.array(fc.tuple(between, encoded), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '/', '?a=/api/', '#/api/'),
  )
  .map(([pieces, end]) => `/${pieces.map(one => one.join('')).join('')}${end}`.replace(/^\/\//, '/'))

test('the guard and the router see the same path, however an address is spelled', async () => {
  const token = 'a-long-token-of-this-server'
  const page = await makePage()
  const { server } = await serveFolder(['Hi.'], { files, page, token })
  const origin = 'http://127.0.0.1:4176'
  const send = async (path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> => {
    const stop = new AbortController()
    const answer = await server.fetch(new Request(origin + path, { headers, signal: stop.signal }))
    const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isEvents) await answer.body?.cancel()
    return { status: answer.status, text: isEvents ? '' : await answer.text() }
  }
  /** What anybody may see: the page, its files, and that the server is alive. */
  const open = new Set(['<title>The page</title>', '"a file of the page"', '{"status":"ok"}', '{"status":"ready"}'])
  const check = async (path: string): Promise<void> => {
    if (!URL.canParse(origin + path) || new URL(origin + path).host !== '127.0.0.1:4176') return
    const own = await send(path, { authorization: `Bearer ${token}` })
    const foreign = await send(path, { ...link, authorization: `Bearer ${token}` })
    const stranger = await send(path, {})
    expect(own.status, path).toBeLessThan(500)
    if (own.status === 200 && !open.has(own.text)) {
      // It reached the API: then no link of another site does, and nobody without the token.
      expect(foreign.status, path).toBe(403)
      expect(stranger.status, path).toBe(401)
    } else expect([own.status, 403], path).toContain(foreign.status)
  }
  for (const path of spellings) await check(path.startsWith('/') ? path : `/${path}`)
  await fc.assert(fc.asyncProperty(address, check), { numRuns: shareOf(2000) })
})

test('an address that cannot be decoded is a mistake of the client', async () => {
  const { server } = await serveFolder(['Hi.'], { files, page: await makePage() })
  for (const path of ['/%', '/api/%zz', '/api/documents/%ff.chatmd', '/api/documents%00', '/a%5Cb', '/%c3%28']) {
    const answer = await server.fetch(new Request(`http://127.0.0.1:4176${path}`))
    expect([answer.status, await answer.json()], path).toMatchObject([400, { code: 'SERVER_BAD_PATH' }])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('documents are still found by every good spelling of their path', async () => {
  const { server } = await serveFolder(['Hi.'], { files })
  for (const path of ['sub/two%20words.chatmd', 'sub%2Ftwo%20words.chatmd', '%73ub/two words.chatmd', 'hello.chatmd']) {
    const answer = await server.fetch(new Request(`http://127.0.0.1:4176/api/documents/${path}`))
    expect(answer.status, path).toBe(200)
    const messages = await server.fetch(new Request(`http://127.0.0.1:4176/api/documents/${path}/messages`))
    expect(messages.status, path).toBe(200)
  }
})

test('the same over a socket, where nobody has tidied the address', async () => {
  const { server } = await serveFolder(['Hi.'], { files, page: await makePage() })
  const listening = await listen(server, { port: 0 })
  onTestFinished(() => listening.close())
  const ask = (path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = connect(listening.port, '127.0.0.1')
      const lines = Object.entries({ host: `127.0.0.1:${listening.port}`, connection: 'close', ...headers })
      socket.on('connect', () =>
        socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(line => line.join(': ')).join('\r\n')}\r\n\r\n`),
      )
      let text = ''
      socket.on('data', data => {
        text += data.toString('latin1')
      })
      socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])))
      socket.on('error', reject)
    })
  for (const path of spellings) {
    const own = await ask(path, {})
    expect(own, path).toBeLessThan(500)
    expect(own === 200 ? [403] : [own, 403], path).toContain(await ask(path, link))
  }
})
