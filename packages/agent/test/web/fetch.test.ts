import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { ask, problemOf, textOf } from '../resolver/ask.ts'
import { LOOPBACK, reply, serve, serveBytes, serveTls } from './server.ts'

const MiB = 1024 * 1024
const fetchDoc = (src: string, options = {}) => ask({ ...LOOPBACK, ...options }, { local: false, src })

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a text is fetched, and named by its address without the fragment', async () => {
  const server = await serve(reply('hello ß€😀\r\n'))
  expect(await fetchDoc(`${server.url}/a?b=c d#part`)).toEqual({
    ok: true,
    text: 'hello ß€😀\r\n',
    file: `${server.url}/a?b=c%20d`,
  })
  expect(server.requests).toEqual(['GET /a?b=c%20d'])
})

test('a request says who asks and nothing about the user, and cookies are not kept', async () => {
  const seen: IncomingHttpHeaders[] = []
  const server = await serve((request, response) => {
    seen.push(request.headers)
    response.setHeader('set-cookie', 'id=1; Path=/')
    if (request.url === '/a') response.writeHead(302, { location: '/b' })
    else response.setHeader('content-type', 'text/plain')
    response.end('x')
  })
  await fetchDoc(`${server.url}/a`)
  await fetchDoc(`${server.url}/b`, { userAgent: 'me/1' })
  expect(seen).toHaveLength(3)
  for (const headers of seen) {
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
    expect(headers.host).toBe(`127.0.0.1:${server.port}`)
  }
  expect(seen.map(headers => headers['user-agent'])).toEqual(['argot', 'argot', 'me/1'])
})

test.each([301, 302, 303, 307, 308])(
  'follows a redirect with status %i, and the name is that of the last page',
  async status => {
    const server = await serve((request, response) => {
      if (request.url === '/deep/a') response.writeHead(status, { location: '../b?c' }).end('moved')
      else reply('here')(request, response)
    })
    expect(await fetchDoc(`${server.url}/deep/a`)).toMatchObject({ text: 'here', file: `${server.url}/b?c` })
  },
)

test('follows as many redirects as the limit says, and not one more', async () => {
  const server = await serve((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
    else reply('end')(request, response)
  })
  expect(textOf(await fetchDoc(`${server.url}/5`))).toBe('end')
  const problem = problemOf(await fetchDoc(`${server.url}/6`))
  expect(problem).toMatchObject({ code: 'CHATMD_BAD_REDIRECT', message: expect.stringContaining('too often') })
  expect(problem.message).toContain('/6` → ')
  expect(problemOf(await fetchDoc(`${server.url}/1`, { limits: { redirects: 0 } })).code).toBe('CHATMD_BAD_REDIRECT')
})

test('redirects in a loop end', async () => {
  const server = await serve((request, response) => {
    response.writeHead(302, { location: request.url === '/a' ? '/b' : '/a' }).end()
  })
  const problem = problemOf(await fetchDoc(`${server.url}/a`))
  expect(problem).toMatchObject({ code: 'CHATMD_BAD_REDIRECT', message: expect.stringContaining('in a loop') })
  expect(server.requests).toHaveLength(6)
})

test.each([
  ['an address that is not allowed', 'http://127.0.0.2:9/', 'CHATMD_PRIVATE_ADDRESS'],
  ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/', 'CHATMD_PRIVATE_ADDRESS'],
  ['an address in other digits', 'http://0x7f000002/', 'CHATMD_PRIVATE_ADDRESS'],
  ['an IPv6 address', '//[::1]:9/', 'CHATMD_PRIVATE_ADDRESS'],
  ['a name that leads to a private address', 'http://evil.example/', 'CHATMD_PRIVATE_ADDRESS'],
  ['a file', 'file:///etc/passwd', 'CHATMD_BAD_ADDRESS'],
  ['data', 'data:text/plain,hello', 'CHATMD_BAD_ADDRESS'],
  ['a password', 'http://a:b@example.com/', 'CHATMD_BAD_ADDRESS'],
  ['nonsense', 'http://[', 'CHATMD_BAD_ADDRESS'],
])('does not follow a redirect to %s', async (_, location, code) => {
  const server = await serve((_, response) => void response.writeHead(302, { location }).end())
  const lookup = async () => [{ address: '10.0.0.7', family: 4 }]
  expect(problemOf(await fetchDoc(`${server.url}/`, { lookup })).code).toBe(code)
  expect(server.requests).toHaveLength(1)
})

test('does not follow a redirect to a second server of a private network, which hears nothing', async () => {
  const secret = await serve(reply('secret'))
  const server = await serve((_, response) => void response.writeHead(302, { location: secret.url }).end())
  // The first server is reached by a name that leads to it, the second only by its address.
  let asked = 0
  const lookup = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
  const first = `http://public.example:${server.port}/`
  expect(textOf(await fetchDoc(first, { lookup }))).toBe('secret')
  expect(secret.requests).toHaveLength(1)
  const named = await serve((_, response) => {
    response.writeHead(302, { location: `http://other.example:${secret.port}/` }).end()
  })
  expect(problemOf(await fetchDoc(`http://127.0.0.1:${named.port}/`, { lookup })).code).toBe('CHATMD_PRIVATE_ADDRESS')
  expect(secret.requests).toHaveLength(1)
})

test('a certificate that nobody trusts is refused', async () => {
  const server = await serveTls(reply('hello'))
  const problem = problemOf(await fetchDoc(`${server.url}/`))
  expect(problem).toMatchObject({ code: 'CHATMD_UNREACHABLE', message: expect.stringContaining('certificate') })
  expect(server.requests).toEqual([])
})

test('a redirect from https to http is refused, one from http to https is followed', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const plain = await serve(reply('plain'))
  const secure = await serveTls((request, response) => {
    if (request.url === '/down') response.writeHead(302, { location: plain.url }).end()
    else reply('secure')(request, response)
  })
  const up = await serve((_, response) => void response.writeHead(302, { location: `${secure.url}/` }).end())
  expect(textOf(await fetchDoc(`${up.url}/`))).toBe('secure')
  const problem = problemOf(await fetchDoc(`${secure.url}/down`))
  expect(problem).toMatchObject({ code: 'CHATMD_BAD_REDIRECT', message: expect.stringContaining('not encrypted') })
  expect(plain.requests).toEqual([])
})

test.each([
  [404, '(Not Found)'],
  [401, '(Unauthorized)'],
  [403, '(Forbidden)'],
  [410, '(Gone)'],
  [429, '(Too Many Requests)'],
  [500, '(Internal Server Error)'],
  [503, '(Service Unavailable)'],
  [304, '(Not Modified)'],
  [302, '(Found)'],
  [999, '999.'],
])('the status %i is a problem', async (status, words) => {
  const server = await serve(reply('an error page that must not be inserted', {}, status))
  const problem = problemOf(await fetchDoc(`${server.url}/`))
  expect(problem).toMatchObject({ code: 'CHATMD_HTTP_STATUS', message: expect.stringContaining(words) })
})

test('a body may have as many bytes as the limit, and not one more, with and without its length', async () => {
  const server = await serve((request, response) => {
    const [, how, size] = request.url!.split('/')
    const body = 'x'.repeat(Number(size))
    response.setHeader('content-type', 'text/plain')
    if (how === 'length') response.end(body)
    else {
      response.write(body.slice(0, 10))
      response.end(body.slice(10))
    }
  })
  for (const how of ['length', 'chunks']) {
    expect(textOf(await fetchDoc(`${server.url}/${how}/${MiB}`))).toHaveLength(MiB)
    const problem = problemOf(await fetchDoc(`${server.url}/${how}/${MiB + 1}`))
    expect(problem).toMatchObject({ code: 'CHATMD_SOURCE_TOO_LARGE', message: expect.stringContaining('1 MiB') })
  }
})

test('a body without an end is read up to the limit, and the connection is closed', async () => {
  let closed: () => void = () => {}
  const over = new Promise<void>(resolve => {
    closed = resolve
  })
  const server = await serve((request, response) => {
    request.socket.once('close', closed)
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {}
    }
    response.on('drain', more)
    more()
  })
  expect(problemOf(await fetchDoc(`${server.url}/`)).code).toBe('CHATMD_SOURCE_TOO_LARGE')
  await over
})

test('a length that is too large is refused before the body comes', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(10 * MiB) })
    response.write('x')
  })
  expect(problemOf(await fetchDoc(`${server.url}/`)).code).toBe('CHATMD_SOURCE_TOO_LARGE')
})

test('a server that never sends headers', async () => {
  const server = await serve(() => {})
  const problem = problemOf(await fetchDoc(`${server.url}/`, { limits: { headersMs: 50 } }))
  expect(problem).toMatchObject({
    code: 'CHATMD_TIMEOUT',
    message: expect.stringContaining('did not answer within 50 ms'),
  })
})

test('a server that sends its headers byte by byte', async () => {
  const server = await serveBytes(socket => {
    const headers = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(10_000)}`
    let sent = 0
    const timer = setInterval(() => socket.write(headers.charAt(sent++)), 5)
    socket.on('close', () => clearInterval(timer))
  })
  expect(problemOf(await fetchDoc(`${server.url}/`, { limits: { headersMs: 100 } })).code).toBe('CHATMD_TIMEOUT')
})

test('a server that sends interim replies for ever', async () => {
  const server = await serveBytes(socket => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  })
  expect(problemOf(await fetchDoc(`${server.url}/`, { limits: { headersMs: 100 } })).code).toBe('CHATMD_TIMEOUT')
})

test('a body that stops in the middle', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write('the beginning')
  })
  const problem = problemOf(await fetchDoc(`${server.url}/`, { limits: { idleMs: 50 } }))
  expect(problem).toMatchObject({ code: 'CHATMD_TIMEOUT', message: expect.stringContaining('stopped in the middle') })
})

test('a body that drips for ever', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(timer))
  })
  const problem = problemOf(await fetchDoc(`${server.url}/`, { limits: { totalMs: 150 } }))
  expect(problem).toMatchObject({ code: 'CHATMD_TIMEOUT', message: expect.stringContaining('150 ms') })
})

test('a lookup that never ends', async () => {
  const lookup = () => new Promise<never>(() => {})
  const problem = problemOf(await fetchDoc('http://slow.example/', { lookup, limits: { connectMs: 50 } }))
  expect(problem).toMatchObject({ code: 'CHATMD_TIMEOUT', message: expect.stringContaining('could not be connected') })
})

test('redirects that each take their time', async () => {
  const server = await serve((request, response) => {
    setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 60)
  })
  const limits = { totalMs: 150, redirects: 1000 }
  expect(problemOf(await fetchDoc(`${server.url}/`, { limits })).code).toBe('CHATMD_TIMEOUT')
})

test('an abort rejects with its reason, whether the server answers or not', async () => {
  for (const start of [false, true]) {
    const controller = new AbortController()
    const server = await serve((_, response) => {
      if (start) response.writeHead(200, { 'content-type': 'text/plain' }).write('x')
      setTimeout(() => controller.abort(new Error('no longer wanted')), 20)
    })
    const result = ask(LOOPBACK, { local: false, src: `${server.url}/`, signal: controller.signal })
    await expect(result).rejects.toThrow('no longer wanted')
  }
})

test.each([
  ['no answer', '', 'CHATMD_UNREACHABLE'],
  ['half of the headers', 'HTTP/1.1 200 OK\r\ncontent-ty', 'CHATMD_UNREACHABLE'],
  [
    'half of the body',
    'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nhalf',
    'CHATMD_UNREACHABLE',
  ],
  ['half of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nhalf', 'CHATMD_UNREACHABLE'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'CHATMD_BAD_REPLY'],
  [
    'a switch of protocols',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'CHATMD_BAD_REPLY',
  ],
  ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`, 'CHATMD_BAD_REPLY'],
  ['one long header', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'CHATMD_BAD_REPLY'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'CHATMD_BAD_REPLY'],
])('a connection that ends after %s is a problem', async (_, bytes, code) => {
  const server = await serveBytes(socket => void socket.end(bytes, 'latin1'))
  expect(problemOf(await fetchDoc(`${server.url}/`)).code).toBe(code)
})

test('headers may be as long as the limit says', async () => {
  const server = await serve(reply('x', { 'x-long': 'y'.repeat(4000) }))
  expect(textOf(await fetchDoc(`${server.url}/`))).toBe('x')
  const problem = problemOf(await fetchDoc(`${server.url}/`, { limits: { headerBytes: 2000 } }))
  expect(problem).toMatchObject({ code: 'CHATMD_BAD_REPLY', message: expect.stringContaining('too long') })
})

test('a connection that is reset in the middle of the body is a problem', async () => {
  const server = await serveBytes(socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nthe beginning')
    setTimeout(() => socket.resetAndDestroy(), 50)
  })
  expect(problemOf(await fetchDoc(`${server.url}/`)).code).toBe('CHATMD_UNREACHABLE')
})

test('nobody listening, and a name that does not exist', async () => {
  const closed = await fetchDoc('http://127.0.0.1:1/')
  expect(problemOf(closed)).toMatchObject({ code: 'CHATMD_UNREACHABLE', message: expect.stringContaining('refused') })
  const lookup = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
  const unknown = problemOf(await fetchDoc('http://nowhere.example/', { lookup }))
  expect(unknown).toMatchObject({ code: 'CHATMD_UNREACHABLE', message: expect.stringContaining('was not found') })
  const none = problemOf(await fetchDoc('http://nowhere.example/', { lookup: async () => [] }))
  expect(none).toMatchObject({ code: 'CHATMD_UNREACHABLE', message: expect.stringContaining('was not found') })
})

test('one resolver serves many requests at a time', async () => {
  const server = await serve((request, response) => reply(request.url!)(request, response))
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`)
  const texts = await Promise.all(paths.map(async path => textOf(await fetchDoc(`${server.url}${path}`))))
  expect(texts).toEqual(paths)
})
