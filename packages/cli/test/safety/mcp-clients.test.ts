import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport, specTypeSchemas, withInputRequired } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../argot.ts'
import { type HttpServer, type McpPlace, makeMcpPlace, serveHttp } from '../mcp/mcp-place.ts'

let place: McpPlace

beforeAll(async () => {
  place = await makeMcpPlace()
})
afterAll(() => place.close())

const chats = async (): Promise<number> =>
  existsSync(join(place.docs, 'chats')) ? (await readdir(join(place.docs, 'chats'))).length : 0

describe('over HTTP', () => {
  let server: HttpServer
  beforeAll(async () => {
    server = await serveHttp(place, ['--name', 'argot.test', '--approve-by-client'])
    auth = { authorization: `Bearer ${server.token}` }
  })
  afterAll(() => server.close())

  interface Sent {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: string
  }

  /** A request with any header: `fetch` sets some itself. */
  function send({
    method = 'POST',
    path = '/mcp',
    headers = {},
    body,
  }: Sent): Promise<{ status: number; text: string }> {
    const { hostname, port } = new URL(server.url)
    const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, path, method, headers: own }, response => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => resolve({ status: response.statusCode!, text }))
      })
      request.on('error', reject)
      request.end(body)
    })
  }
  let auth: Record<string, string> = {}
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  })
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })

  test('nothing is answered without the token, under another name or to another site', async () => {
    expect(await send({ body: initialize })).toMatchObject({ status: 401 })
    expect(await send({ body: initialize, headers: { authorization: 'Bearer other' } })).toMatchObject({ status: 401 })
    expect(await send({ body: initialize, headers: { ...auth, host: 'evil.example' } })).toMatchObject({ status: 421 })
    expect(await send({ body: initialize, headers: { host: 'argot.test' } })).toMatchObject({ status: 401 })
    expect(await send({ body: initialize, headers: { ...auth, host: 'argot.test' } })).toMatchObject({ status: 200 })
    const origin = { ...auth, origin: 'https://evil.example' }
    expect(await send({ body: initialize, headers: origin })).toMatchObject({ status: 403 })
    const site = { ...auth, 'sec-fetch-site': 'cross-site' }
    expect(await send({ method: 'GET', headers: site })).toMatchObject({ status: 403 })
  })

  test('huge, deep and malformed messages are refused, and the server lives on', async () => {
    const post = async (body: string, headers = {}): Promise<number> =>
      (await send({ body, headers: { ...auth, ...headers } }).catch(() => ({ status: 413 }))).status
    expect(await post(`"${'x'.repeat(5 * 1024 * 1024)}"`)).toBe(413)
    expect(await post('['.repeat(100_000))).toBe(400)
    expect(await post('{"jsonrpc":')).toBe(400)
    expect(await post(initialize, { 'content-type': 'text/plain' })).toBe(415)
    for (const body of ['null', '[]', '[[]]', '7', '{}', '{"jsonrpc":"2.0","id":{},"method":7}']) {
      expect(await post(body)).toBe(400)
    }
    expect(await send({ path: '/other', body: list, headers: auth })).toMatchObject({ status: 404 })
    expect(await send({ path: '/mcp/..%2f', body: list, headers: auth })).toMatchObject({ status: 404 })
    expect(await post(initialize)).toBe(200)
  })

  test('a session that was never begun is none', async () => {
    for (const id of ['1', '../1', '__proto__', '00000000-0000-4000-8000-000000000000']) {
      expect(await send({ body: list, headers: { ...auth, 'mcp-session-id': id } })).toMatchObject({ status: 404 })
    }
    expect(await send({ body: list, headers: auth })).toMatchObject({ status: 400 })
    for (const method of ['GET', 'DELETE']) {
      const status = (await send({ method, headers: { ...auth, 'mcp-session-id': 'x' } })).status
      expect([404, 405]).toContain(status)
    }
  })

  test('sessions are limited', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async () => (await send({ body: initialize, headers: auth })).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter(status => status === 200).length).toBeLessThanOrEqual(64)
  })

  describe('by a client of 2026-07-28', () => {
    let client: Client
    beforeAll(async () => {
      client = new Client(
        { name: 'hostile', version: '1.0.0' },
        { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
      )
      const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: auth } })
      await client.connect(transport)
    })
    afterAll(() => client.close())

    type Reply = { resultType?: string; inputRequests?: Record<string, unknown>; requestState?: string }
    const schema = withInputRequired(specTypeSchemas.CallToolResult)
    const call = (params: Record<string, unknown>): Promise<Reply> =>
      client.request({ method: 'tools/call', params }, schema, { allowInputRequired: true }) as Promise<Reply>
    const yes = { action: 'accept', content: { approve: true } }

    test('paths outside, hidden folders, links and other files are not resources', async () => {
      const uris = [
        'chatmd:///../outside.chatmd',
        'chatmd:///%2e%2e/outside.chatmd',
        'chatmd:///..%2Foutside.chatmd',
        'chatmd:///notes/../../outside.chatmd',
        `chatmd:///${join(place.folder, 'outside.chatmd')}`,
        'chatmd:////etc/passwd.chatmd',
        'chatmd:///.chatmd/hidden.chatmd',
        'chatmd:///notes/../.chatmd/hidden.chatmd',
        'chatmd:///link.chatmd',
        'chatmd:///inner.chatmd',
        'chatmd:///plain.txt',
        'chatmd:///notes/weather.json',
        'chatmd:///done.chatmd%00',
        'chatmd:///notes%5C..%5C..%5Coutside.chatmd',
        'chatmd:///%',
        `file://${join(place.docs, 'done.chatmd')}`,
        'https://example.org/done.chatmd',
      ]
      for (const uri of uris) {
        const read = client.readResource({ uri }).then(() => `${uri} was read`)
        await expect(read).rejects.toThrow(/document|address/i)
      }
    })

    test('names and arguments lead nowhere else', async () => {
      const before = await chats()
      for (const name of ['../outside', 'link', 'inner', '__proto__', 'constructor', 'chats_x', '']) {
        await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('There is no tool')
        await expect(client.getPrompt({ name })).rejects.toThrow('There is no prompt')
      }
      for (const input of [
        {},
        { topic: ['x'] },
        { topic: 'x', output: '/tmp/x' },
        { topic: 'x', __proto__: null, model: 'y' },
      ]) {
        expect((await client.callTool({ name: 'tea', arguments: input })).isError).toBe(true)
      }
      expect(await chats()).toBe(before)
    })

    test('answers count for the question that was asked, once, and for nothing else', async () => {
      const asked = await call({ name: 'write', arguments: { file: 'forged.txt' } })
      const [id] = Object.keys(asked.inputRequests!)
      const state = asked.requestState!
      const own = { name: 'write', arguments: { file: 'forged.txt' } }
      // Not the last character: some of its bits mean nothing in base64.
      const forged = state.replace(/.(?=.$)/, one => (one === 'A' ? 'B' : 'A'))
      const refused = [
        // A state that the server never gave.
        { ...own, inputResponses: { [id!]: yes }, requestState: forged },
        { ...own, inputResponses: { [id!]: yes }, requestState: 'v1.e30.e30' },
        // The answer for another call.
        { name: 'write', arguments: { file: 'other.txt' }, inputResponses: { [id!]: yes }, requestState: state },
        { name: 'tea', arguments: { topic: 'x' }, inputResponses: { [id!]: yes }, requestState: state },
      ]
      for (const params of refused) await expect(call(params)).rejects.toThrow()
      // Answers to questions that were never asked leave the question as it is.
      const again = await call({
        ...own,
        inputResponses: { approve: yes, other: yes, __proto__: yes },
        requestState: state,
      })
      expect(Object.keys(again.inputRequests!)).toEqual([id])
      expect(existsSync(join(place.docs, 'forged.txt'))).toBe(false)
      const done = await call({ ...own, inputResponses: { [id!]: yes }, requestState: again.requestState! })
      expect(done).toMatchObject({ content: [{ type: 'text' }] })
      expect(existsSync(join(place.docs, 'forged.txt'))).toBe(true)
      await expect(call({ ...own, inputResponses: { [id!]: yes }, requestState: state })).rejects.toThrow(
        'No call waits',
      )
      expect(existsSync(join(place.docs, 'other.txt'))).toBe(false)
    })
  })
})

describe('over standard input', () => {
  interface Spoken {
    child: ChildProcess
    lines: string[]
    ended: Promise<number | null>
    say(message: unknown): void
    reply(id: number): Promise<Record<string, unknown>>
  }

  function speak(...flags: string[]): Spoken {
    const [command, ...args] = commandLine(['mcp', 'serve', place.docs, ...flags])
    const child = spawn(command, args, { env: place.env, cwd: place.docs, stdio: ['pipe', 'pipe', 'ignore'] })
    const lines: string[] = []
    createInterface({ input: child.stdout! }).on('line', line => lines.push(line))
    child.stdin!.on('error', () => {})
    const find = (id: number) => lines.map(line => JSON.parse(line)).find(one => one.id === id && !('method' in one))
    return {
      child,
      lines,
      ended: new Promise(resolve => child.on('exit', code => resolve(code))),
      say: message => void child.stdin!.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
      async reply(id) {
        await expect.poll(() => find(id), { timeout: 30_000 }).toBeDefined()
        return find(id)
      },
    }
  }

  const open = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'x', version: '1' },
    },
  }

  test('malformed messages are passed over, answers that nobody wants approve nothing, and stdout has messages alone', async () => {
    const { say, reply, lines, child, ended } = speak('--approve-by-client')
    for (const bad of ['', 'not json', '{', '[]', '{"jsonrpc":"2.0","id":{},"method":[]}', '\u0000', '7', '"x"'])
      say(bad)
    say(open)
    await reply(1)
    say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'write', arguments: { file: 'unasked.txt' } } })
    await expect.poll(() => lines.some(line => line.includes('elicitation/create')), { timeout: 30_000 }).toBe(true)
    const asked = JSON.parse(lines.find(line => line.includes('elicitation/create'))!) as { id: number }
    const result = { action: 'accept', content: { approve: true } }
    for (const id of [asked.id + 1, -1, 'x', null]) say({ jsonrpc: '2.0', id, result })
    say({ jsonrpc: '2.0', id: 3, method: 'tools/list' })
    await reply(3)
    expect(existsSync(join(place.docs, 'unasked.txt'))).toBe(false)
    say({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { approve: 1 } } })
    await reply(2)
    expect(existsSync(join(place.docs, 'unasked.txt'))).toBe(false)
    expect(lines.every(line => JSON.parse(line).jsonrpc === '2.0')).toBe(true)
    child.stdin!.end()
    expect(await ended).toBe(0)
  })

  test('a message without an end closes the connection, and the program ends', async () => {
    const { say, ended } = speak()
    for (let count = 0; count < 6; count++) say('x'.repeat(1024 * 1024).replace(/\n/g, ''))
    say(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(6 * 1024 * 1024)}`)
    expect(await ended).toBe(0)
  })
})
