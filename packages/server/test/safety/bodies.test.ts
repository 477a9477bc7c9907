import { expect, test } from 'vitest'
import { compileSchema } from '../../src/guard/check-value.ts'
import { allRoutes } from '../../src/routes/all-routes.ts'
import { serveFolder } from '../served-folder.ts'

const files = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }
const json = { 'content-type': 'application/json' }

/** A body that is read only as far as somebody asks for it. */
function endless(piece: string, count: { bytes: number }): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(piece)
  return new ReadableStream(
    {
      pull(controller) {
        count.bytes += bytes.length
        controller.enqueue(bytes)
      },
    },
    { highWaterMark: 0 },
  )
}

test('a session is opened with 4 KiB at most, and nothing more is read', async () => {
  const { server, ask } = await serveFolder(['Hi.'], { files, token: 'a-long-token-of-this-server' })
  const read = { bytes: 0 }
  const body = endless('{"token":"'.padEnd(1024, 'x'), read)
  const init = { method: 'POST', headers: json, body, duplex: 'half' }
  const answer = await server.fetch(new Request('http://127.0.0.1:4176/api/session', init as RequestInit))
  expect([answer.status, await answer.json()]).toMatchObject([413, { most: 4096 }])
  expect(read.bytes).toBeLessThanOrEqual(6 * 1024)
  const keys = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 1]))
  const refused = (await (await ask('POST', '/api/session', keys)).json()) as { message: string }
  expect(refused.message).toMatch(/`token` is missing/)
})

test('without the token no route reads a body, but for the one that takes the token', async () => {
  const { server } = await serveFolder(['Hi.'], { files, token: 'a-long-token-of-this-server' })
  const routes = allRoutes.filter(({ method }) => method !== 'GET' && method !== 'HEAD')
  expect(routes.length).toBeGreaterThan(5)
  for (const { method, path, isOpen } of routes) {
    const read = { bytes: 0 }
    const address = path.replace('{path}', 'hello.chatmd').replaceAll(/\{\w+\}/g, 'x')
    const init = { method, headers: json, body: endless('x'.repeat(64 * 1024), read), duplex: 'half' }
    const answer = await server.fetch(new Request(`http://127.0.0.1:4176${address}`, init as RequestInit))
    expect(answer.status, `${method} ${path}`).toBe(isOpen === true ? 413 : 401)
    expect(read.bytes, `${method} ${path}`).toBeLessThanOrEqual(isOpen === true ? 64 * 1024 : 0)
  }
})

test('every open route that takes a body takes a small one', () => {
  for (const { isOpen, body, bodyBytes, id } of allRoutes) {
    if (isOpen === true && body !== undefined) expect(bodyBytes, id).toBeLessThanOrEqual(4096)
  }
})

test('a body of millions of values is refused before it is parsed', async () => {
  const { server } = await serveFolder(['Hi.'], { files })
  const send = async (path: string, body: string): Promise<number> => {
    const request = new Request(`http://127.0.0.1:4176${path}`, { method: 'POST', headers: json, body })
    return (await server.fetch(request)).status
  }
  const most = 8 * 1024 * 1024
  expect(await send('/api/chat', `{"id":"x","messages":[${'{},'.repeat(most / 3)}{}]}`)).toBe(413)
  expect(await send('/api/chat', `{"id":"x","messages":[${'1,'.repeat(most / 2)}1]}`)).toBe(413)
  expect(await send('/api/runs', `{"document":"hello.chatmd","params":{${'"k":"",'.repeat(most / 7)}"k":""}}`)).toBe(
    413,
  )
  // Text is not values, whatever is in it.
  expect(await send('/api/runs', JSON.stringify({ document: 'hello.chatmd', input: '[,{"'.repeat(most / 5) }))).toBe(
    201,
  )
})

test('a check stops at the first problem', () => {
  const looked: string[] = []
  const watched = (value: object): object =>
    new Proxy(value, {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) looked.push(name)
        return Reflect.get(target, name, receiver)
      },
    })
  const numbers = watched(Array.from({ length: 1000 }, () => 1))
  expect(compileSchema({ type: 'array', items: { type: 'string' } })(numbers, '#')).toEqual({
    at: '#/0',
    message: 'It must be of type string.',
  })
  expect(looked).toEqual(['0'])
  expect(compileSchema({ type: 'array', maxItems: 10, items: { type: 'number' } })(numbers, '#')?.at).toBe('#')
  expect(looked).toEqual(['0'])
  expect(() => compileSchema({ type: 'string', pattern: 'x' })).toThrow('pattern')
})

test('the server checks every schema that its routes have', () => {
  for (const { body, query = {} } of allRoutes) {
    if (typeof body === 'object') expect(() => compileSchema(body)).not.toThrow()
    for (const { schema } of Object.values(query)) expect(() => compileSchema(schema)).not.toThrow()
  }
})
