import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { mcp } from '../../../src/tool/source/mcp.ts'
import type { OpenToolSource } from '../../../src/tool/tool-source.ts'

const program: string = fileURLToPath(new URL('raw-server.mjs', import.meta.url))
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
})

async function open(server: string): Promise<{ source: OpenToolSource; notices: string[] }> {
  const notices: string[] = []
  const source = await mcp(server).open({ env: { PATH: process.env.PATH }, notice: text => notices.push(text) })
  cleanups.push(() => source.close())
  return { source, notices }
}

/** What a call gave, or why it failed. */
async function call({ source }: { source: OpenToolSource }, name: string): Promise<unknown> {
  const tool = source.tools.find(one => one.name === name)!
  const context = { toolCallId: 'c', idempotencyKey: 'k', signal: new AbortController().signal, preview: () => {} }
  return tool.execute({}, context).then(
    ({ output }) => output,
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )
}

const stdio = (mood: string): string => `stdio:${process.execPath} ${program} ${mood}`
const refusal = (server: string): Promise<string> =>
  open(server).then(
    () => 'opened',
    (error: { message: string }) => error.message,
  )

describe('a program that breaks the rules of the protocol', () => {
  test('loses the tools that are broken, and no others; what they give is checked in no time', async () => {
    const opened = await open(stdio('good'))
    const { source, notices } = opened
    expect(source.tools.map(tool => tool.name)).toEqual(['good', 'loose', 'slow-to-check', 'broken', 'closes'])
    expect(notices.map(text => text.replace(/ of the MCP server `.*`/, ''))).toEqual([
      'The tool `takes-nothing` is left out: it has no input schema.',
      'The tool `takes-a-list` is left out: its input schema is not for an object.',
      'The tool `` is left out: it has no name.',
      'The tool `` is left out: it is not an object.',
    ])
    expect(source.tools[1]!.validate({ a: 1 })).toEqual({ ok: true, input: { a: 1 } })
    expect(await call(opened, 'slow-to-check')).toEqual({ text: `${'a'.repeat(80)}!` })
    expect(await call(opened, 'broken')).toBe(
      'TOOL_BAD_OUTPUT: `broken` ran, but its result is invalid: `content.0` is wrong (Invalid input).',
    )
    expect(await call(opened, 'closes')).toMatch(/^MCP_UNREACHABLE: .*: it closed its output; /)
    expect(await call(opened, 'good')).toBe('good')
  })

  // Its answer and its words have a pipe each: which is read first is left to chance.
  test.each(['refuses', 'refuses-first'])('that %s is quoted, whatever it said on stderr, and when', async mood => {
    expect(await refusal(stdio(mood))).toMatch(
      /cannot be reached: no licence for this machine; its last output was `got initialize`\.$/,
    )
  })

  test('that crashes is quoted with its error, not with the version of Node', async () => {
    expect(await refusal(stdio('crashes'))).toMatch(
      /it ended with exit status 1; its last output was `TypeError: the licence is over`\.$/,
    )
  })

  test('that pages its list in circles is given up at the second turn', async () => {
    expect(await refusal(stdio('in-circles'))).toContain("didn't list its tools: its list never ends")
  })

  test('that has no tools is said to have none', async () => {
    expect((await open(stdio('without-tools'))).notices).toEqual([expect.stringContaining('has no tools.')])
  })
})

describe('a server over HTTP that breaks', () => {
  const seen: string[] = []
  let sessions = 0

  function answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const session = String(request.headers['mcp-session-id'])
    const { id, method = request.method, params } = JSON.parse(body || '{}')
    seen.push(`${method} ${params?.name ?? ''} ${session}`)
    const reply = (message: object, headers = {}): void => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    }
    if (method === 'DELETE') response.end()
    else if (method === 'GET') response.writeHead(405).end()
    else if (id === undefined) response.writeHead(202).end()
    else if (method === 'initialize') {
      const { protocolVersion } = params
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } }
      reply({ result }, { 'mcp-session-id': `s${++sessions}` })
    } else if (method === 'tools/list') {
      const names = ['good', 'slow', 'drops', 'forgets', 'endless']
      reply({ result: { tools: names.map(name => ({ name, inputSchema: { type: 'object' } })) } })
    } else if (method !== 'tools/call') reply({ error: { code: -32601, message: 'unknown' } })
    else if (params.name === 'drops') request.socket.destroy()
    else if (params.name === 'forgets' && session === 's1') response.writeHead(404).end('Session not found')
    else if (params.name === 'endless') {
      response.writeHead(200, { 'content-type': 'application/json' })
      const piece = 'x'.repeat(1 << 20)
      const write = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    } else {
      const answerCall = (): void =>
        reply({ result: { content: [{ type: 'text', text: `${params.name} ${session}` }] } })
      if (params.name === 'slow') setTimeout(answerCall, 50)
      else answerCall()
    }
  }

  async function start(): Promise<string> {
    seen.length = 0
    sessions = 0
    const server: Server = createServer((request, response) => {
      let body = ''
      request.on('data', piece => {
        body += piece
      })
      request.on('end', () => answer(request, body, response))
    })
    await new Promise<void>(resolve => {
      server.listen(0, '127.0.0.1', resolve)
    })
    cleanups.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  }

  test('in one call answers the others, and hears when a session is over', async () => {
    const opened = await open(await start())
    const [slow, drops] = await Promise.all([call(opened, 'slow'), call(opened, 'drops')])
    expect(drops).toMatch(/^MCP_UNREACHABLE: .*: socket hang up\.$/)
    expect(slow).toBe('slow s1')
    expect(await call(opened, 'good')).toBe('good s2')
    await opened.source.close()
    expect(seen.filter(one => one.startsWith('DELETE')).sort()).toEqual(['DELETE  s1', 'DELETE  s2'])
  })

  test('by forgetting a session is begun again with, and the call that it did not make is made', async () => {
    const opened = await open(await start())
    expect(await call(opened, 'good')).toBe('good s1')
    expect(await call(opened, 'forgets')).toBe('forgets s2')
  })

  test('by an answer without an end does not fill the memory', async () => {
    const opened = await open(await start())
    expect(await call(opened, 'endless')).toMatch(/^MCP_UNREACHABLE: .*: it sent a message larger than 32 MB\.$/)
  })
})
