import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AddressPolicy } from '../../src/web/address-policy.ts'
import { createGuardedFetch } from '../../src/web/guarded-fetch.ts'

let server: Server

async function answer(url: string, response: ServerResponse): Promise<void> {
  const [, kind, newline = ''] = url.split('/')
  response.writeHead(200, { 'content-type': kind === 'whole' ? 'application/json' : 'text/event-stream' })
  const end = newline === 'dos' ? '\r\n\r\n' : '\n\n'
  for (let index = 0; index < 8; index++) {
    response.write('x'.repeat(200_000) + (kind === 'events' ? end : ''))
    await new Promise(resolve => setImmediate(resolve))
    // Each character of an event's end in its own piece.
    for (const character of kind === 'pieces' ? end : '') {
      await new Promise<void>(resolve => void response.write(character, () => resolve()))
      await new Promise(resolve => setTimeout(resolve, 2))
    }
  }
  response.end()
}

beforeAll(async () => {
  server = createServer(({ url }, response) => void answer(url!, response))
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('a message has a limit; a stream of messages has none', async () => {
  const fetch = createGuardedFetch({ policy: new AddressPolicy(true), messageBytes: 1 << 20 })
  const length = async (path: string): Promise<unknown> => {
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`)
    return reply.text().then(
      text => text.length,
      (error: Error) => error.message,
    )
  }
  expect(await length('whole')).toBe('it sent a message larger than 1 MB')
  expect(await length('event')).toBe('it sent a message larger than 1 MB')
  expect(await length('events')).toBe(8 * 200_002)
  expect(await length('events/dos')).toBe(8 * 200_004)
  expect(await length('pieces')).toBe(8 * 200_002)
  expect(await length('pieces/dos')).toBe(8 * 200_004)
})
