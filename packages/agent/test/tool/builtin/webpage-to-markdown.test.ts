import { createBuiltinTools, createWorkspace, type Tool } from '@argot/agent'
import { expect, test } from 'vitest'
import { LOOPBACK, reply, serve } from '../../web/server.ts'
import { call, failureOf, problemOf, textOf } from '../call.ts'

type Web = NonNullable<Parameters<typeof createBuiltinTools>[0]['web']>

function webTool(web: Web = { allowPrivateAddresses: ['127.0.0.1'] }): Tool {
  return createBuiltinTools({ workspace: createWorkspace({ roots: ['.'] }), web }).get('webpage_to_markdown')!
}

const html = { 'content-type': 'text/html; charset=utf-8' }

test('returns a page as Markdown, with whole links and without scripts', async () => {
  const page = '<html><body><script>no()</script><h1>Title</h1><p>See <a href="/x">this</a> ä.</p></body></html>'
  const { url } = await serve(reply(page, html))
  const text = await textOf(webTool(), { url: ` ${url}/a#part ` })
  expect(text).toBe(`# Title\n\nSee [this](${url}/x) ä.`)
  expect(webTool().effect).toBe('net')
})

test('returns other text as it is', async () => {
  const { url } = await serve(reply('{"a": "<b>"}', { 'content-type': 'application/json' }))
  expect(await textOf(webTool(), { url })).toBe('{"a": "<b>"}')
})

test('follows redirects and says where the page is', async () => {
  const { url } = await serve((request, response) => {
    if (request.url === '/new') response.writeHead(200, html).end('<p>here</p>')
    else response.writeHead(302, { location: '/new' }).end()
  })
  expect(await textOf(webTool(), { url: `${url}/old` })).toBe(`[The page is at \`${url}/new\`.]\n\nhere`)
})

test('says when a page has no text, and cuts a long one', async () => {
  const { url } = await serve((request, response) => {
    response
      .writeHead(200, html)
      .end(request.url === '/empty' ? '<script></script>' : `<p>${'long text '.repeat(50_000)}</p>`)
  })
  expect(await textOf(webTool(), { url: `${url}/empty` })).toBe('[The page has no text.]')
  const long = await textOf(webTool(), { url: `${url}/long` })
  expect(long.length).toBeLessThan(384 * 1024 + 100)
  expect(long).toContain('[Cut here: ')
})

test.each([
  ['http://127.0.0.1:1/'],
  ['http://localhost/'],
  ['http://[::1]/'],
  ['http://169.254.169.254/latest/meta-data'],
  ['http://10.0.0.1/'],
  ['http://0x7f.1/'],
  ['file:///etc/passwd'],
  ['ftp://example.com/'],
  ['example.com'],
  ['http://user:secret@example.com/'],
  ['javascript:alert(1)'],
])('refuses the address %s', async url => {
  const { code, message } = await failureOf(call(webTool({}), { url }))
  expect(code).toBe('TOOL_ADDRESS_REFUSED')
  expect(message).not.toContain('secret')
  expect(message).not.toContain('<img>')
})

test('refuses a private address behind a name and behind a redirect, and asks nothing of it', async () => {
  const secret = await serve(reply('secret'))
  const first = await serve((_, response) =>
    response.writeHead(302, { location: `http://127.0.0.2:${secret.port}/` }).end(),
  )
  const byRedirect = await failureOf(call(webTool(LOOPBACK), { url: first.url }))
  expect(byRedirect).toMatchObject({ code: 'TOOL_ADDRESS_REFUSED', message: expect.stringContaining('127.0.0.2') })
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const byName = await failureOf(call(webTool({ lookup }), { url: `http://example.com:${secret.port}/` }))
  expect(byName.code).toBe('TOOL_ADDRESS_REFUSED')
  expect(secret.requests).toEqual([])
})

test.each([
  ['a PDF file', '%PDF-1.7', 'application/pdf', 'TOOL_BINARY'],
  ['a PDF file that calls itself HTML', '%PDF-1.7\0', 'text/html', 'TOOL_BINARY'],
  ['an image', 'x', 'image/png', 'TOOL_BINARY'],
  ['bytes', 'a\0b', 'application/octet-stream', 'TOOL_BINARY'],
])('webpage_to_markdown refuses %s', async (_, body, type, code) => {
  const { url } = await serve(reply(body, { 'content-type': type }))
  const failure = await failureOf(call(webTool(), { url }))
  expect(failure.code).toBe(code)
  expect(failure.message).toContain('not text')
})

test('says what went wrong with a page', async () => {
  const missing = await serve(reply('no', html, 404))
  expect(await failureOf(call(webTool(), { url: missing.url }))).toMatchObject({
    code: 'TOOL_FETCH_FAILED',
    message: expect.stringContaining('answered 404 (Not Found)'),
  })
  const large = await serve(reply('x'.repeat(2000), html))
  const small = webTool({ ...LOOPBACK, limits: { textBytes: 1000 } })
  expect((await failureOf(call(small, { url: large.url }))).code).toBe('TOOL_FILE_TOO_LARGE')
  const slow = await serve(() => {})
  const hasty = webTool({ ...LOOPBACK, limits: { headersMs: 50 } })
  expect((await failureOf(call(hasty, { url: slow.url }))).code).toBe('TOOL_FETCH_FAILED')
  expect(await problemOf(webTool(), { url: 5 })).toBe('`url` must be a string, not `5`.')
})

test('an abort ends the request with its reason', async () => {
  const controller = new AbortController()
  const { url } = await serve(() => controller.abort(new Error('stopped')))
  await expect(call(webTool(), { url }, controller.signal)).rejects.toThrow('stopped')
})
