import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Chunk, decodeSse } from '@argot/core'
import type { RunResource } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import type { ModelServer, ScriptedReply } from '../../agent/test/model/servers/model-server.ts'
import { commandLine } from './argot.ts'

const config = '<config model="openai-compatible:test" show_tool_call/>\n'
const hello = `${config}\n<user>\nTell me.\n</user>\n`
/** A model that begins to speak and never goes on. */
const stalls: ScriptedReply = { text: 'One two three four five.', cutAfter: 4, cutBy: 'silence' }

interface Place {
  folder: string
  docs: string
  model: ModelServer
  env: Record<string, string>
}

async function place(files: Record<string, string>, ...replies: ScriptedReply[]): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-serve-')))
  const docs = join(folder, 'docs')
  await mkdir(docs)
  for (const [name, text] of Object.entries(files)) await writeFile(join(docs, name), text)
  const model = await startCompatible(replies)
  onTestFinished(async () => {
    await model.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, docs, model, env: { ...model.env, XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder } }
}

interface Process {
  child: ChildProcess
  output: () => string
  ended: Promise<number | null>
}

/** The real command, in a process of its own. */
function launch(args: readonly string[], { env, docs }: Place): Process {
  const [node, ...rest] = commandLine(args)
  const child = spawn(node, rest, { cwd: docs, env: { PATH: process.env.PATH ?? '', ...env } })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.end()
  const ended = new Promise<number | null>(resolve => child.on('exit', code => resolve(code)))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, output: () => output, ended }
}

interface Served extends Process {
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; value: Record<string, unknown> }>
  url: string
  get(run: string): Promise<RunResource>
  until(run: string, ...states: string[]): Promise<RunResource>
}

async function serve(at: Place, ...flags: string[]): Promise<Served> {
  const started = launch(['serve', at.docs, '--port', '0', '--json', ...flags], at)
  await waitFor(() => {
    if (started.child.exitCode !== null) throw new Error(started.output())
    return started.output().includes('\n')
  })
  const { url } = JSON.parse(started.output().split('\n')[0]!) as { url: string }
  const ask: Served['ask'] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status: response.status, value: (await response.json()) as Record<string, unknown> }
  }
  const get = async (run: string): Promise<RunResource> =>
    (await ask('GET', `/api/runs/${run}`)).value as unknown as RunResource
  return {
    ...started,
    url,
    ask,
    get,
    async until(run, ...states) {
      let found = await get(run)
      await waitFor(async () => {
        found = await get(run)
        return states.includes(found.state)
      })
      return found
    },
  }
}

/** Nothing in a test takes as long as this waits, on the busiest machine. */
async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = Date.now(); !(await condition()); ) {
    if (Date.now() - begun > 60_000) throw new Error(`It did not come about: ${condition.toString()}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** The chunks of a run as they come, until the stream ends. */
function follow(url: string, run: string): { chunks: Chunk[]; ended: Promise<{ isDone: boolean; retry: boolean }> } {
  const chunks: Chunk[] = []
  const read = async (): Promise<{ isDone: boolean; retry: boolean }> => {
    const decoder = decodeSse()
    let text = ''
    try {
      const response = await fetch(new URL(`/api/runs/${run}/stream`, url), { headers: { 'x-argot-chunks': '1' } })
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(bytes)
        for (const { chunk } of decoder.push(bytes)) chunks.push(chunk as Chunk)
      }
    } catch {
      // The server is gone.
    }
    return { isDone: decoder.done, retry: text.startsWith('retry: ') }
  }
  return { chunks, ended: read() }
}

function saidIn(chunks: readonly Chunk[]): string {
  return chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
}

/** Whether a process of this machine was started with this among its words. */
function isThere(word: string): boolean {
  return readdirSync('/proc').some(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word)
    } catch {
      return false
    }
  })
}

test('a server that is told to end leaves its run, sends its readers away and is gone; the next one continues', async () => {
  const at = await place({ 'hello.chatmd': hello }, stalls, { text: 'Said again.' })
  const first = await serve(at)
  const { value } = await first.ask('POST', '/api/runs', { document: 'hello.chatmd' })
  const run = value.id as string
  const reader = follow(first.url, run)
  await waitFor(() => saidIn(reader.chunks) !== '')
  first.child.kill('SIGTERM')
  expect(await reader.ended).toEqual({ isDone: false, retry: true })
  expect(await first.ended).toBe(0)
  const second = await serve(at)
  await second.until(run, 'done')
  const again = follow(second.url, run)
  expect(await again.ended).toMatchObject({ isDone: true })
  expect(again.chunks.slice(0, reader.chunks.length)).toEqual(reader.chunks)
  expect(await readFile(join(at.docs, 'hello.chatmd'), 'utf8')).toContain('Said again.')
})

test('the programs of its tools end with a server that is told to end', async () => {
  const word = `98765.${process.pid}`
  const at = await place(
    { 'wait.chatmd': `${config}<tool name="wait" command="sleep ${word}"/>\n\n<user>\nWait.\n</user>\n` },
    { calls: [{ id: 'c1', name: 'wait', input: {} }] },
    { text: 'It was interrupted.' },
  )
  const server = await serve(at, '--approve', 'all', '--allow-exec')
  const { value } = await server.ask('POST', '/api/runs', { document: 'wait.chatmd' })
  expect(value).toMatchObject({ id: expect.any(String) })
  await waitFor(() => isThere(word))
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(isThere(word)).toBe(false)
})

test('a run of a terminal is watched and stopped from the server, and refuses a second one', async () => {
  const at = await place({ 'hello.chatmd': hello }, stalls)
  const server = await serve(at)
  const events = followEvents(server.url)
  const terminal = launch(['run', join(at.docs, 'hello.chatmd')], at)
  let runs: RunResource[] = []
  await waitFor(async () => {
    runs = (await server.ask('GET', '/api/runs?state=running')).value.runs as RunResource[]
    return runs.length > 0
  })
  const { id } = runs[0]!
  const reader = follow(server.url, id)
  await waitFor(() => saidIn(reader.chunks) !== '')
  const refused = await server.ask('POST', '/api/runs', { document: 'hello.chatmd', input: 'Me too.', mode: 'reject' })
  const holder = expect.stringContaining(`process ${terminal.child.pid}`)
  expect(refused).toMatchObject({ status: 409, value: { code: 'SERVER_BUSY', run: id, holder, message: holder } })
  const { value: listed } = await server.ask('GET', '/api/documents')
  expect(listed).toMatchObject([{ path: 'hello.chatmd', state: 'running' }])
  await waitFor(() => events.some(({ name, data }) => name === 'run' && data.id === id && data.state === 'running'))
  expect((await server.ask('POST', `/api/runs/${id}/stop`, {})).status).toBe(202)
  await terminal.ended
  await server.until(id, 'stopped')
  expect((await reader.ended).isDone).toBe(true)
  expect(reader.chunks.at(-1)).toMatchObject({ type: 'abort' })
  await waitFor(() => events.some(({ name, data }) => name === 'run' && data.id === id && data.state === 'stopped'))
})

test('a run of the server holds its document before a terminal, which answers what it asks once it waits', async () => {
  const asks = `${config}<tool name="touch" command="touch made.txt"/>\n\n<user>\nMake it.\n</user>\n`
  const at = await place(
    { 'hello.chatmd': hello, 'make.chatmd': asks },
    stalls,
    { calls: [{ id: 'c1', name: 'touch', input: {} }] },
    { text: 'It is made.' },
    { text: 'Once more.' },
  )
  const server = await serve(at, '--allow-exec')
  const { value: held } = await server.ask('POST', '/api/runs', { document: 'hello.chatmd' })
  await server.until(held.id as string, 'running')
  const locked = launch(['run', join(at.docs, 'hello.chatmd')], at)
  expect(await locked.ended).not.toBe(0)
  expect(locked.output()).toContain(`process ${server.child.pid}`)
  const { value } = await server.ask('POST', '/api/runs', { document: 'make.chatmd' })
  const run = value.id as string
  const { pending } = await server.until(run, 'waiting')
  expect(pending).toMatchObject([{ toolName: 'touch' }])
  expect(existsSync(join(at.docs, 'made.txt'))).toBe(false)
  const reader = follow(server.url, run)
  const terminal = launch(['run', join(at.docs, 'make.chatmd'), '--approve', 'all', '--allow-exec'], at)
  expect([await terminal.ended, terminal.output()]).toMatchObject([0, expect.stringContaining('It is made.')])
  expect(existsSync(join(at.docs, 'made.txt'))).toBe(true)
  expect((await reader.ended).isDone).toBe(true)
  await server.until(run, 'done')
  const next = await server.ask('POST', '/api/runs', { document: 'make.chatmd', input: 'And?', mode: 'reject' })
  expect(next.status).toBe(201)
  await server.until(next.value.id as string, 'done')
})

test('a second server on the same folder says which process has it', async () => {
  const at = await place({ 'hello.chatmd': hello })
  const first = await serve(at)
  const second = launch(['serve', at.docs, '--port', '0'], at)
  expect(await second.ended).not.toBe(0)
  expect(second.output()).toContain(`process ${first.child.pid}`)
  expect(second.output()).toContain('SERVER_LOCKED')
})

interface SeenEvent {
  name: string
  data: { id?: string; state?: string }
}

function followEvents(url: string): SeenEvent[] {
  const events: SeenEvent[] = []
  const read = async (): Promise<void> => {
    const response = await fetch(new URL('/api/events', url))
    let rest = ''
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + new TextDecoder().decode(bytes)).split('\n\n')
      rest = parts.pop()!
      for (const part of parts) {
        const [, name, data] = /event: (.*)\ndata: (.*)/.exec(part) ?? []
        if (name !== undefined) events.push({ name, data: JSON.parse(data!) as SeenEvent['data'] })
      }
    }
  }
  read().catch(() => {})
  return events
}

test('a name of a proxy in front is let in with a token, which is made up, and other names are not', async () => {
  const at = await place({ 'a.chatmd': hello })
  const { output, url } = await serve(at, '--name', 'Argot.Example')
  const { token } = JSON.parse(output().split('\n')[0]!) as { token: string }
  const ask = (host: string, authorization: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const asking = request(`${url}api/documents`, { headers: { host, authorization }, agent: false }, response => {
        response.resume()
        resolve(response.statusCode!)
      })
      asking.on('error', reject).end()
    })
  expect(await ask('argot.example', `Bearer ${token}`)).toBe(200)
  expect(await ask('argot.example', 'Bearer no')).toBe(401)
  expect(await ask('evil.example', `Bearer ${token}`)).toBe(421)
  // Limits count the clients of the proxy, and not the proxy.
  const leave = new AbortController()
  const open = (client: string): Promise<number> =>
    fetch(`${url}api/events`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': client },
      signal: leave.signal,
    }).then(({ status }) => status)
  const one = await Promise.all(Array.from({ length: 65 }, () => open('10.0.0.1')))
  expect(one.filter(status => status === 429)).toHaveLength(1)
  expect(await open('10.0.0.2')).toBe(200)
  leave.abort()
})
