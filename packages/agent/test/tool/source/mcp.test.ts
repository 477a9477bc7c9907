import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { type McpOptions, mcp } from '../../../src/tool/source/mcp.ts'
import type { ToolOutcome } from '../../../src/tool/tool.ts'
import { fixedTools, type OpenToolSource } from '../../../src/tool/tool-source.ts'
import { Toolbox } from '../../../src/tool/toolbox.ts'
import { startHttpServer, stdioServer } from './odd-servers.ts'

const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
})

interface Opened {
  source: OpenToolSource
  notices: string[]
  previews: unknown[]
  call(name: string, input?: object, signal?: AbortSignal): Promise<ToolOutcome>
  failure(name: string, input?: object): Promise<string>
}

async function open(server: string, options: McpOptions = {}): Promise<Opened> {
  const notices: string[] = []
  const previews: unknown[] = []
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, OPENAI_API_KEY: 'sk-secret-of-this-test' }
  const source = await mcp(server, options).open({ env, notice: text => notices.push(text) })
  cleanups.push(() => source.close())
  const call: Opened['call'] = (name, input = {}, signal = new AbortController().signal) => {
    const tool = source.tools.find(one => one.name === name)!
    const preview = (output: unknown): void => void previews.push(output)
    return tool.execute(input, { toolCallId: 'c1', idempotencyKey: 'k1', signal, preview })
  }
  const failure: Opened['failure'] = (name, input) =>
    call(name, input).then(
      () => 'no failure',
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    )
  return { source, notices, previews, call, failure }
}

async function openHttp(mood?: string, options?: McpOptions): Promise<Opened> {
  const { url, stop } = await startHttpServer(mood)
  cleanups.push(stop)
  return open(url, options)
}

const refusal = (opening: Promise<unknown>): Promise<string> =>
  opening.then(
    () => 'opened',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )

describe.each([
  ['a program', (options?: McpOptions) => open(stdioServer(), options)],
  ['HTTP', (options?: McpOptions) => openHttp('good', options)],
])('tools of an MCP server over %s', (_, connect) => {
  test('are listed over all pages, under names that every provider can carry', async () => {
    const { source } = await connect()
    const names = source.tools.map(tool => tool.name)
    expect(names).toHaveLength(19)
    expect(names).toContain('odd_name__n_code')
    expect(names).toContain('constructor')
  })

  test('give text, structure, pictures and links as a model can take them', async () => {
    const { call } = await connect()
    expect(await call('echo', { text: 'hi' })).toEqual({ output: 'hi' })
    expect(await call('structured')).toEqual({ output: { degrees: 21 } })
    expect(await call('linked')).toEqual({ output: '[a.txt](file:///a.txt)\nthe text of b' })
    expect(await call('nothing')).toEqual({ output: 'Done.' })
    expect(await call('odd_name__n_code')).toEqual({ output: 'odd' })
    const { output } = await call('picture')
    expect(output).toMatchObject({ type: 'content', value: [{ text: 'A pixel:' }, { mediaType: 'image/png' }] })
  })

  test('fail with what the server says', async () => {
    const { failure } = await connect()
    expect(await failure('fails')).toBe('TOOL_FAILED: the disk is full')
    expect(await failure('throws')).toBe('TOOL_FAILED: inside the server')
    expect(await failure('lies')).toContain("does not match the tool's output schema")
  })

  test('check their input before anything is sent', async () => {
    const { source } = await connect()
    const echo = source.tools.find(tool => tool.name === 'echo')!
    expect(await echo.validate({ text: 1 })).toMatchObject({ ok: false })
    expect(await echo.validate({ text: 'a' })).toMatchObject({ ok: true })
  })

  test('show the progress that the server reports', async () => {
    const { call, previews } = await connect()
    const slow = call('slow', { steps: 3 })
    // What comes in one piece with the result is too late to be shown.
    await expect.poll(() => previews).toEqual(['step 1', 'step 2', 'step 3'])
    await call('echo', { text: 'they were seen' })
    expect((await slow).output).toBe('done')
  })

  test('are cancelled at the server when the call is stopped', async () => {
    const { call } = await connect()
    const stop = new AbortController()
    const never = call('never', {}, stop.signal)
    never.catch(() => {})
    await call('echo', { text: 'the call before has arrived' })
    stop.abort(new Error('stopped by the test'))
    await expect(never).rejects.toThrow('stopped by the test')
    await expect.poll(async () => (await call('cancelled')).output).toBe('1')
  })

  test('end in time, and the server is told', async () => {
    const { call, failure } = await connect({ timeoutMs: 200 })
    expect(await failure('never')).toMatch(/^MCP_TIMEOUT: .* didn't respond to the call of `never`/)
    await expect.poll(async () => (await call('cancelled')).output).toBe('1')
  })

  test('are read again before the next step when the server has changed its list', async () => {
    const { source, call } = await connect()
    expect(await source.refresh()).toBe(false)
    await call('grow')
    await expect.poll(() => source.refresh()).toBe(true)
    expect((await call('grown')).output).toBe('the new one')
    expect(await source.refresh()).toBe(false)
  })

  test('are the included ones, and the error for an unknown name suggests the nearest one', async () => {
    const { source } = await connect({ include: ['structured', 'echo'] })
    expect(source.tools.map(tool => tool.name)).toEqual(['structured', 'echo'])
    expect(await refusal(connect({ include: ['structred'] }))).toMatch(
      /^MCP_UNKNOWN_TOOL: .* has no tool `structred`. Did you mean `structured`\?$/,
    )
  })
})

describe('an MCP server that is started', () => {
  test('gets the harmless part of the environment', async () => {
    const { call } = await open(stdioServer())
    expect((await call('environment')).output).toBe('ARGOT_CALL HOME PATH')
  })

  test('that dies in a call fails that call, and runs again for the next one', async () => {
    const { call, failure } = await open(stdioServer())
    expect(await failure('dies')).toMatch(/^MCP_UNREACHABLE: .*`dies`: it ended with exit status 7\.$/)
    expect(await call('echo', { text: 'again' })).toEqual({ output: 'again' })
  })

  test('that keeps dying is not started for ever', async () => {
    const { failure } = await open(stdioServer())
    for (let round = 0; round < 4; round++) expect(await failure('dies')).toContain('exit status 7')
    expect(await failure('dies')).toMatch(/^MCP_UNREACHABLE: .* has ended 4 times, so it is not restarted\.$/)
  })

  test('that ends at once is one sentence with its last words', async () => {
    expect(await refusal(open(stdioServer('dies-at-once')))).toMatch(
      /^MCP_UNREACHABLE: The MCP server `.*` cannot be reached: it ended with exit status 3; its last output was `no licence found`\.$/,
    )
  })

  test('that is not there is said with its name', async () => {
    expect(await refusal(open('stdio:no-such-program-anywhere --serve'))).toMatch(
      /^MCP_UNREACHABLE: .* cannot be reached: The command no-such-program-anywhere was not found/,
    )
  })

  test('that says nothing is given up', async () => {
    expect(await refusal(open(stdioServer('silent'), { connectMs: 300 }))).toMatch(
      /^MCP_TIMEOUT: .* cannot be reached: it timed out\.$/,
    )
  })

  test('that prints other things before it begins is understood', async () => {
    expect((await open(stdioServer('chatty'))).source.tools).toHaveLength(19)
  })

  test('that floods stderr is understood', async () => {
    expect(await (await open(stdioServer('floods-stderr'))).call('echo', { text: 'a' })).toEqual({ output: 'a' })
  })

  test('that writes a line without an end is ended', async () => {
    expect(await refusal(open(stdioServer('endless-line')))).toMatch(/it wrote a message larger than 32 MB/)
  })

  test('that pages its list for ever is given up', async () => {
    expect(await refusal(open(stdioServer('endless-list')))).toMatch(/^MCP_UNREACHABLE: .* didn't list its tools/)
  })

  test('that has thousands of tools gives the first of them, and that is said', async () => {
    const { source, notices } = await open(stdioServer('crowded'))
    expect(source.tools).toHaveLength(512)
    expect(notices).toEqual([expect.stringContaining('the first 512 are used')])
  })

  test('is gone once the source is closed', async () => {
    const { source, call } = await open(`${stdioServer()} unique-word-of-this-test`)
    await call('echo', { text: 'a' })
    const running = (): string =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .filter(line => line.includes('unique-word-of-this-test'))
        .join('\n')
    expect(running()).not.toBe('')
    await source.close()
    expect(running()).toBe('')
    await source.close()
  })
})

describe('an MCP server over HTTP', () => {
  test('is sent the token, and without it the refusal is said', async () => {
    const { call } = await openHttp('locked', { token: 'let-me-in' })
    expect((await call('headers')).output).toBe('Bearer let-me-in')
    expect(await refusal(openHttp('locked'))).toMatch(/^MCP_UNREACHABLE: .* cannot be reached: .*(401|[Uu]nauthorized)/)
  })

  test('is not followed to another address, where the token would go too', async () => {
    expect(await refusal(openHttp('redirects', { token: 'let-me-in' }))).toMatch(/redirects are not followed here/)
  })

  test('is not reached at a private address unless that is allowed', async () => {
    const { url, stop } = await startHttpServer()
    cleanups.push(stop)
    expect(await refusal(open(url, { allowPrivateAddresses: false }))).toMatch(
      /leads to 127\.0\.0\.1, a loopback address/,
    )
    const named = url.replace('127.0.0.1', 'localhost')
    expect(await refusal(open(named, { allowPrivateAddresses: false }))).toMatch(/a loopback address|local network/)
  })

  test('that was started again is connected to again by the next call, and the call between fails', async () => {
    const { url, stop } = await startHttpServer('good')
    const { call, failure } = await open(url)
    expect(await call('echo', { text: 'one' })).toEqual({ output: 'one' })
    await stop()
    expect(await failure('echo', { text: 'two' })).toMatch(/^MCP_UNREACHABLE: /)
    const again = await startHttpServer('good', Number(new URL(url).port))
    cleanups.push(again.stop)
    expect(await call('echo', { text: 'three' })).toEqual({ output: 'three' })
  })

  test('that is down is one sentence', async () => {
    const { url, stop } = await startHttpServer()
    await stop()
    expect(await refusal(open(url))).toMatch(/^MCP_UNREACHABLE: The MCP server `.*` cannot be reached: .*ECONNREFUSED/)
  })
})

test.each(['', 'stdio:', 'stdio:  ', 'weather', 'ftp://example.org', 'http://'])(
  '`%s` is refused as an MCP server',
  server => {
    expect(() => mcp(server)).toThrow('is not an MCP server')
  },
)

test('a toolbox gives a name to whoever is declared first, and never a reserved one to a server', async () => {
  const { source } = await open(stdioServer(), { include: ['echo', 'read_file', 'nothing'] })
  const notices: string[] = []
  const own = { ...source.tools.find(tool => tool.name === 'nothing')!, description: 'mine' }
  const box = new Toolbox(
    [
      { source, name: 'odd' },
      { source: fixedTools([own]), name: 'own' },
    ],
    {
      reserved: ['read_file'],
      notice: text => notices.push(text),
    },
  )
  expect([...box.tools.keys()]).toEqual(['echo', 'nothing'])
  expect(box.tools.get('nothing')!.description).toBe('mine')
  expect(notices).toEqual([
    'The tool `read_file` from `odd` is left out: its name is taken.',
    'The tool `nothing` from `odd` is left out: its name is taken.',
  ])
})
