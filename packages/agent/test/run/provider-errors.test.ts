import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { during } from '../model/collect.ts'
import { keyOf, type Wire, wires } from '../model/providers/wire.ts'
import type { ModelServer, ScriptedReply } from '../model/servers/model-server.ts'
import { documentFolder, filesBelow, follow, readMessages } from './document-folder.ts'

const names = ['openai', 'anthropic', 'google', 'openai-compatible'] as const

interface Started {
  server: ModelServer
  file: string
  before: string
  notices: string[]
  /** How long the run would have waited, each time. */
  waits: number[]
  options: RunOptions
}

/** A document whose model is on a server with this script; waiting takes no time. */
async function start(wire: Wire, replies: readonly ScriptedReply[]): Promise<Started> {
  const before = `<config model="${wire.model}"/>\n<tool name="look"/>\n<user>\nWhat is in x?\n</user>\n`
  const folder = await documentFolder({ 'chat.chatmd': before })
  const server = await during(wire.start(replies))
  const notices: string[] = []
  const waits: number[] = []
  const options: RunOptions = {
    cwd: folder,
    env: server.env,
    configFolder: join(folder, 'none'),
    tools: [fakeTool('look', 'read', ({ a }) => `${a} is empty`)],
    now: () => 1e12,
    notice: text => notices.push(text),
    pause: async ms => {
      waits.push(ms)
    },
  }
  return { server, file: join(folder, 'chat.chatmd'), before, notices, waits, options }
}

const whole: ScriptedReply = { text: 'It is empty.' }

describe.each(names)('on %s', name => {
  const wire = wires[name]!

  test.each([
    ['a refused key', wire.badKey, 'MODEL_KEY_REFUSED'],
    ['an unknown model', wire.noModel, 'MODEL_NOT_FOUND'],
    ['a conversation that is too long', wire.tooLong, 'MODEL_CONTEXT_EXCEEDED'],
    ['a request that is refused', wire.badRequest, 'MODEL_BAD_REQUEST'],
  ])('%s fails at once, and the document stays as it is', async (_, reply, code) => {
    const { server, file, before, notices, waits, options } = await start(wire, [reply, whole])
    const { chunks, result } = await follow(runDocument(file, options))
    expect(result).toMatchObject({ status: 'failed', code, text: '' })
    const error = result.status === 'failed' ? result.error : ''
    expect(chunks.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', errorText: error }])
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
    expect(error).not.toContain(keyOf(server))
    expect([server.requests.length, notices, waits]).toEqual([1, [], []])
    expect(await readFile(file, 'utf8')).toBe(before)
    expect((await filesBelow(options.cwd!)).filter(path => path.endsWith('.lock'))).toEqual([])
    const again = await follow(runDocument(file, options))
    expect(again.result).toMatchObject({ status: 'done', text: 'It is empty.' })
  })

  test('too many requests are tried again after the time that the provider asks for, with a notice', async () => {
    const busy = { ...wire.tooMany, headers: { 'retry-after': '7' } }
    const { server, file, notices, waits, options } = await start(wire, [busy, busy, whole])
    const { chunks, result } = await follow(runDocument(file, options))
    expect(result).toMatchObject({ status: 'done', text: 'It is empty.' })
    expect([server.requests.length, waits]).toEqual([3, [7000, 7000]])
    expect(notices.length).toBe(2)
    expect(notices[0]).toMatch(/is not accepting more requests right now \(status 429\)\. Trying again in 7 s\.$/)
    expect(chunks.filter(({ type }) => type === 'start-step').length).toBe(1)
    expect(server.requests[2]!.body).toEqual(server.requests[0]!.body)
    expect((await readMessages(file)).at(-1)).toEqual(result.message)
  })

  test('a server that fails three times is given up, and the document stays as it is', async () => {
    const { server, file, before, notices, waits, options } = await start(wire, [wire.broken, wire.broken, wire.broken])
    const { result } = await follow(runDocument(file, options))
    expect(result).toMatchObject({ status: 'failed', code: 'MODEL_SERVER_ERROR' })
    expect([server.requests.length, waits, notices.length]).toEqual([3, [1000, 2000], 2])
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  test.each([
    ['is ended', { cutAfter: 0, cutBy: 'end' }],
    ['is cut', { cutAfter: 0, cutBy: 'reset' }],
    ['fails', { failAfter: 0 }],
  ] as const)('a reply that %s before it said anything is asked for again', async (_, how) => {
    const { server, file, waits, notices, options } = await start(wire, [{ ...whole, ...how }, whole])
    const { result } = await follow(runDocument(file, options))
    expect(result).toMatchObject({ status: 'done', text: 'It is empty.' })
    expect([server.requests.length, waits.length, notices.length]).toEqual([2, 1, 1])
    expect((await readMessages(file)).length).toBe(2)
  })

  test.each([
    ['is cut', { cutBy: 'reset' }],
    ['is ended', { cutBy: 'end' }],
    ['fails', {}],
  ] as const)(
    'a reply that %s in the middle is kept and not asked for again; the next run makes the step again',
    async (_, how) => {
      const text = 'I think that the file which you name is empty, but I have to look.'
      const after = name === 'openai' ? 6 : name === 'anthropic' ? 6 : 4
      const broken = 'cutBy' in how ? { text, cutAfter: after, ...how } : { text, failAfter: after }
      const { server, file, before, waits, options } = await start(wire, [
        broken,
        { calls: [{ id: 'c1', name: 'look', input: { a: 'x' } }] },
        whole,
      ])
      const { chunks, result } = await follow(runDocument(file, options))
      expect(result).toMatchObject({
        status: 'failed',
        code: expect.stringMatching(/^MODEL_(?:STREAM_BROKEN|SERVER_ERROR)$/),
      })
      expect([server.requests.length, waits]).toEqual([1, []])
      expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
      const kept = await readFile(file, 'utf8')
      expect(kept.startsWith(before)).toBe(true)
      const said = (await readMessages(file)).at(-1)!
      expect(said).toEqual(result.message)
      expect(said).toMatchObject({ role: 'assistant', status: 'error' })
      expect(JSON.stringify(said.parts)).toContain('I think')

      const again = await follow(runDocument(file, options))
      expect(again.result).toMatchObject({ status: 'done', text: 'It is empty.' })
      expect(server.requests.length).toBe(3)
      // What broke off is not said again: no model has to go on in the middle of a sentence.
      const [first, second, third] = server.requests.map(({ body }) => body)
      expect(second).toEqual(first)
      expect(JSON.stringify(third)).not.toContain('I think')
      const messages = await readMessages(file)
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
      expect(messages.at(-1)).toEqual(again.result.message)
      expect(messages.at(-1)!.status).toBe('sent')
      expect(toolCalls(messages.at(-1)!)).toMatchObject([{ toolCallId: 'c1', state: 'output-available' }])
      const last = await follow(runDocument(file, options))
      expect(last.result).toMatchObject({ status: 'failed', code: 'RUN_NOTHING_TO_ANSWER' })
    },
  )

  test('a call that was cut is not run', async () => {
    const calls = [{ id: 'c1', name: 'look', input: { a: 'x'.repeat(100) } }]
    const { server, file, options } = await start(wire, [
      { text: 'I look.', calls, cutAfter: name === 'google' ? 1 : 9 },
    ])
    const { result } = await follow(runDocument(file, options))
    expect(result).toMatchObject({ status: 'failed', code: 'MODEL_STREAM_BROKEN' })
    expect(server.requests.length).toBe(1)
    expect((options.tools![0] as ReturnType<typeof fakeTool>).inputs).toEqual([])
    for (const call of toolCalls(result.message!)) expect(call.state).toBe('output-error')
    expect((await readMessages(file)).at(-1)).toEqual(result.message)
  })

  test('a server that is silent is left when the run is stopped', async () => {
    const { server, file, before, options } = await start(wire, [{ ...whole, cutAfter: 0, cutBy: 'silence' }, whole])
    const controller = new AbortController()
    const run = runDocument(file, { ...options, signal: controller.signal })
    for await (const chunk of run) {
      if (chunk.type !== 'start-step') continue
      while (server.requests.length === 0) await new Promise(resolve => setImmediate(resolve))
      controller.abort()
    }
    expect(await run.result).toMatchObject({ status: 'stopped' })
    expect(await readFile(file, 'utf8')).toBe(before)
    expect((await follow(runDocument(file, options))).result).toMatchObject({ status: 'done', text: 'It is empty.' })
  })
})

test.each(names)('a server of %s that is not there fails at once, and the document stays as it is', async name => {
  const wire = wires[name]!
  const { server, file, before, waits, options } = await start(wire, [])
  const port = createServer().listen(0, '127.0.0.1')
  await once(port, 'listening')
  const address = port.address()
  await new Promise(resolve => port.close(resolve))
  const free = typeof address === 'object' && address !== null ? address.port : 0
  const env = Object.fromEntries(
    Object.entries(server.env).map(([key, value]) => [key, value.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${free}`)]),
  )
  const { result } = await follow(runDocument(file, { ...options, env }))
  expect(result).toMatchObject({ status: 'failed', code: 'MODEL_UNREACHABLE' })
  expect(result.status === 'failed' && result.error).toContain(`127.0.0.1:${free}`)
  expect(waits).toEqual([])
  expect(await readFile(file, 'utf8')).toBe(before)
})
