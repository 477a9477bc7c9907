import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ask, problemOf, textOf } from '../resolver/ask.ts'
import { LOOPBACK, reply, serve } from './server.ts'

const MiB = 1024 * 1024
const fetchDoc = (src: string) => ask(LOOPBACK, { local: false, src })

test.each([
  ['text/plain'],
  ['text/markdown; charset=utf-8'],
  ['TEXT/HTML'],
  ['application/json'],
  ['application/vnd.api+json'],
  ['application/atom+xml'],
  ['application/javascript'],
  ['application/x-ndjson'],
  ['application/octet-stream'],
  ['image/svg+xml'],
  [''],
])('text of the type "%s" is inserted', async type => {
  const server = await serve(reply('hello', { 'content-type': type }))
  expect(textOf(await fetchDoc(`${server.url}/`))).toBe('hello')
})

test.each([
  ['image/png', '<img>'],
  ['application/pdf', 'convert'],
  ['application/zip', 'convert'],
  ['video/mp4', 'convert'],
  ['audio/mpeg', 'convert'],
  ['font/woff2', 'convert'],
  ['multipart/form-data', 'convert'],
])('a reply of the type %s is refused by its type', async (type, cure) => {
  const server = await serve(reply('hello', { 'content-type': type }))
  const problem = problemOf(await fetchDoc(`${server.url}/`))
  expect(problem).toMatchObject({ code: 'CHATMD_BINARY', message: expect.stringContaining(type) })
  expect(problem.cure).toContain(cure)
})

test.each([
  ['text/plain', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), 'CHATMD_BINARY'],
  ['text/html; charset=utf-8', Buffer.from('a\0b'), 'CHATMD_BINARY'],
  ['text/html; charset=windows-1252', Buffer.from('a\0b'), 'CHATMD_BINARY'],
  ['application/octet-stream', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), 'CHATMD_BINARY'],
  ['', Buffer.from([1, 2, 0xff]), 'CHATMD_BAD_ENCODING'],
  ['text/plain', Buffer.from('Grüße', 'latin1'), 'CHATMD_BAD_ENCODING'],
])('a reply that calls itself "%s" and is not is refused by its bytes', async (type, body, code) => {
  const server = await serve(reply(body, { 'content-type': type }))
  expect(problemOf(await fetchDoc(`${server.url}/`)).code).toBe(code)
})

test.each([
  ['the header', 'text/plain; charset=iso-8859-1', Buffer.from('Grüße', 'latin1')],
  ['the header in quotes', 'text/plain;charset="ISO-8859-1"; x=y', Buffer.from('Grüße', 'latin1')],
  ['meta', 'text/html', Buffer.from('<meta charset=latin1>Grüße', 'latin1')],
  ['meta of old', 'text/html', Buffer.from('<META http-equiv=x content="text/html; charset=latin1">Grüße', 'latin1')],
  ['XML', 'application/xml', Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>Grüße', 'latin1')],
  ['the header against meta', 'text/html; charset=utf-8', Buffer.from('<meta charset=latin1>Grüße')],
  ['a byte order mark against both', 'text/html; charset=latin1', Buffer.from('\ufeff<meta charset=latin1>Grüße')],
  ['a byte order mark of UTF-16', 'text/plain', Buffer.from('\ufeffGrüße', 'utf16le')],
  ['a false meta', 'text/html', Buffer.from('<meta charset=utf-16>Grüße')],
  ['nothing at all', 'text/plain', Buffer.from('Grüße')],
])('the encoding is told by %s', async (_, type, body) => {
  const server = await serve(reply(body, { 'content-type': type }))
  expect(textOf(await fetchDoc(`${server.url}/`))).toMatch(/(?:^|>)Grüße$/)
})

test('Shift JIS is read, an unknown encoding is refused', async () => {
  const server = await serve((request, response) => {
    const charset = request.url === '/jp' ? 'shift_jis' : 'klingon'
    reply(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), { 'content-type': `text/plain; charset=${charset}` })(
      request,
      response,
    )
  })
  expect(textOf(await fetchDoc(`${server.url}/jp`))).toBe('日本')
  const problem = problemOf(await fetchDoc(`${server.url}/`))
  expect(problem).toMatchObject({ code: 'CHATMD_BAD_ENCODING', message: expect.stringContaining('klingon') })
})

test.each([
  ['gzip', gzipSync('hello '.repeat(1000))],
  ['x-gzip', gzipSync('hello '.repeat(1000))],
  ['GZIP', gzipSync('hello '.repeat(1000))],
  ['br', brotliCompressSync('hello '.repeat(1000))],
  ['deflate', deflateSync('hello '.repeat(1000))],
  ['identity', Buffer.from('hello '.repeat(1000))],
  ['gzip, br', brotliCompressSync(gzipSync('hello '.repeat(1000)))],
])('a body compressed with %s is decompressed', async (coding, body) => {
  const server = await serve(reply(body, { 'content-encoding': coding }))
  expect(textOf(await fetchDoc(`${server.url}/`))).toBe('hello '.repeat(1000))
})

test('a bomb is put out at the limit', async () => {
  const bomb = Buffer.alloc(64 * MiB, 'x')
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  const server = await serve((request, response) => {
    const coding = decodeURI(request.url!.slice(1))
    const body = { gzip: gzipSync(bomb), br: brotliCompressSync(bomb, fast), deflate: deflateSync(bomb) }[coding]
    reply(body ?? gzipSync(gzipSync(bomb)), { 'content-encoding': coding })(request, response)
  })
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, gzip']) {
    expect(problemOf(await fetchDoc(`${server.url}/${coding}`)).code).toBe('CHATMD_SOURCE_TOO_LARGE')
  }
})

test.each([
  ['a body that is not compressed', 'gzip', Buffer.from('hello')],
  ['a body that is cut off', 'gzip', gzipSync('hello '.repeat(1000)).subarray(0, 20)],
  ['a body with a wrong checksum', 'gzip', Buffer.concat([gzipSync('hello').subarray(0, -8), Buffer.alloc(8, 1)])],
  ['nonsense for Brotli', 'br', Buffer.from('hello hello hello')],
  ['a compression that was not asked for', 'zstd', Buffer.from('hello')],
  ['three compressions', 'gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('x')))],
])('a reply that cannot be decompressed is a problem: %s', async (_, coding, body) => {
  const server = await serve(reply(body, { 'content-encoding': coding }))
  expect(problemOf(await fetchDoc(`${server.url}/`)).code).toBe('CHATMD_BAD_REPLY')
})
