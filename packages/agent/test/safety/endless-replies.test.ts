import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageModelV3, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { type AgentOptions, createAgent, mcp, type RunResult } from '@argot/agent'
import { toolCalls } from '@argot/core'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { RunTime } from '../../src/loop/run-time.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { stdioServer } from '../tool/source/odd-servers.ts'
import { hostileRun, makePlace } from './hostile-run.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A server that speaks like OpenAI's, and answers every request in the same way. */
async function serve(answer: Answer): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume()
    response.on('error', () => {})
    answer(response, request)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests: () => requests }
}

const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`

/** Writes without an end, as fast as it is read. */
function writeForever(response: ServerResponse, piece: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (): void => {
    while (!response.destroyed && response.write(piece)) {}
  }
  response.on('drain', write)
  write()
}

async function ask(url: string, options: Partial<AgentOptions> = {}): Promise<RunResult> {
  const agent = createAgent({ model: 'openai-compatible:small', env: { ARGOT_BASE_URL: url }, ...options })
  return agent.run('Hello').result
}

/** A model that gives a part again and again. */
function endless(parts: (n: number) => LanguageModelV3StreamPart[]): { model: LanguageModelV3; taken: () => number } {
  let taken = 0
  const model: LanguageModelV3 = {
    ...{ specificationVersion: 'v3', provider: 'endless', modelId: 'test', supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream<LanguageModelV3StreamPart>({
          pull(controller) {
            for (const part of parts(taken++)) controller.enqueue(part)
          },
        }),
      }),
  }
  return { model, taken: () => taken }
}

describe('a model call', () => {
  test('that only pings is given up after its time, and is not tried again', async () => {
    const { url, requests } = await serve(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const ping = setInterval(() => response.write(': ping\n\n'), 5)
      response.on('close', () => clearInterval(ping))
    })
    expect(await ask(url, { replyMs: 300 })).toMatchObject({
      status: 'failed',
      code: 'MODEL_TOO_SLOW',
      error: expect.stringMatching(/took longer than 0\.3 s for one reply.*--reply-timeout/),
    })
    expect(requests()).toBe(1)
  })

  test('that says a little again and again keeps what it said', async () => {
    const { url } = await serve(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const say = setInterval(() => response.write(event({ content: 'on ' })), 5)
      response.on('close', () => clearInterval(say))
    })
    const result = await ask(url, { replyMs: 400 })
    expect(result).toMatchObject({ status: 'failed', code: 'MODEL_TOO_SLOW', text: expect.stringMatching(/^on on /) })
  })

  test('that never ends is cut at 8 MiB, long before it fills the memory', async () => {
    const piece = 'on and on '.repeat(20_000)
    const { url, requests } = await serve(response => writeForever(response, event({ content: piece })))
    const { status, code, error, text: said } = (await ask(url)) as RunResult & { code: string; error: string }
    expect({ status, code }).toEqual({ status: 'failed', code: 'MODEL_REPLY_TOO_LONG' })
    expect(error).toMatch(/longer than 8,388,608 characters.*--max-reply/)
    expect(said!.length).toBeGreaterThan(8_000_000)
    expect(said!.length).toBeLessThan(9_000_000)
    expect(requests()).toBe(1)
  })

  const word = 'x'.repeat(100)
  test.each<[string, (n: number) => LanguageModelV3StreamPart[]]>([
    ['text', n => (n === 0 ? [{ type: 'text-start', id: '0' }] : [{ type: 'text-delta', id: '0', delta: word }])],
    [
      'thoughts',
      n => (n === 0 ? [{ type: 'reasoning-start', id: '0' }] : [{ type: 'reasoning-delta', id: '0', delta: word }]),
    ],
    [
      'input of one call',
      n =>
        n === 0
          ? [{ type: 'tool-input-start', id: 'c', toolName: 'look' }]
          : [{ type: 'tool-input-delta', id: 'c', delta: word }],
    ],
    [
      'calls without pieces',
      n => [{ type: 'tool-call', toolCallId: `c${n}`, toolName: 'look', input: JSON.stringify({ a: word }) }],
    ],
    ['calls in pieces', n => call(`c${n}`, 'look', { a: word })],
    ['files', () => [{ type: 'file', mediaType: 'image/png', data: word }]],
  ])('with endless %s is cut at the limit', async (_, parts) => {
    const { model, taken } = endless(parts)
    const tools = [fakeTool('look', 'read')]
    const agent = createAgent({ model, tools, approve: 'all', replyLength: 10_000, env: {} })
    expect(await agent.run('Go').result).toMatchObject({ status: 'failed', code: 'MODEL_REPLY_TOO_LONG' })
    expect(taken()).toBeLessThan(150)
  })

  test.each<[string, Record<string, string>, RegExp]>([
    ['seconds', { 'retry-after': '3600' }, /asks you to wait 60 min. Run it again after 2030-01-01T01:00:00Z/],
    ['milliseconds', { 'retry-after-ms': '61000' }, /Run it again after 2030-01-01T00:01:01Z/],
    ['a date', { 'retry-after': 'Tue, 01 Jan 2030 12:00:00 GMT' }, /Run it again after 2030-01-01T12:00:00Z/],
    ['more than a date can say', { 'retry-after': '99999999999999999999' }, /Run it again after \+275760/],
  ])(
    'that is asked to wait longer than a minute, in %s, fails immediately and names the time',
    async (_, headers, words) => {
      const { url, requests } = await serve(response => {
        response.writeHead(429, { 'content-type': 'application/json', ...headers })
        response.end('{"error":{"message":"Slow down."}}')
      })
      const pauses: number[] = []
      const options = {
        now: () => Date.parse('2030-01-01T00:00:00Z'),
        pause: async (ms: number) => void pauses.push(ms),
      }
      expect(await ask(url, options as Partial<AgentOptions>)).toMatchObject({
        status: 'failed',
        code: 'MODEL_RATE_LIMITED',
        error: expect.stringMatching(words),
      })
      expect({ requests: requests(), pauses }).toEqual({ requests: 1, pauses: [] })
    },
  )

  test.each<[string, number]>([
    ['0', 0],
    ['30', 30_000],
    ['60', 60_000],
  ])('that is asked to wait for %s s waits for so long', async (seconds, expected) => {
    const { url, requests } = await serve(response => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': seconds })
      response.end('{"error":{"message":"Slow down."}}')
    })
    const pauses: number[] = []
    await ask(url, { pause: async (ms: number) => void pauses.push(ms) } as Partial<AgentOptions>)
    expect({ requests: requests(), pauses }).toEqual({ requests: 3, pauses: [expected, expected] })
  })
})

test('a call of an MCP server that reports progress for ever is given up', async () => {
  const model = scriptedModel([[...call('c', 'slow', { steps: 1_000_000 }), finish('tool-calls')], 'Done.'])
  const agent = createAgent({ model, tools: [mcp(stdioServer(), { totalMs: 1 })], approve: 'all' })
  const { message } = await agent.run('Go').result
  expect(toolCalls(message!)[0]!.errorText).toMatch(/didn't respond to the call of `slow`: it timed out/)
})

describe('the time of a run', () => {
  test('ends one that works for ever, with all calls settled, and the next run continues it', async () => {
    const place = await makePlace('<tool name="look"/>\n<user>\nGo.\n</user>\n')
    const steps: ScriptedStep[] = [[...call('c', 'look', { a: 'x' }), finish('tool-calls')]]
    const options = { tools: [fakeTool('look', 'read')], maxSteps: 1_000_000 }
    const { result, calls } = await hostileRun(place, steps, { ...options, runMs: 500 })
    expect(result).toMatchObject({
      status: 'failed',
      code: 'RUN_MAX_TIME',
      error: expect.stringMatching(/reached its time limit of .* Run it again to continue.*--max-time/),
    })
    const settled = ['output-available', 'output-error']
    expect(calls.filter(({ state }) => !settled.includes(state))).toEqual([])
    const next = await hostileRun(place, ['Done.'], options)
    expect(next.result).toMatchObject({ status: 'done', text: 'Done.' })
  }, 20_000)

  test('does not count while the run waits for a person', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let [isWaiting, over] = [false, 0]
    const time = new RunTime({ limitMs: 60_000, isWaiting: () => isWaiting, onOver: () => void over++ })
    vi.advanceTimersByTime(50_000)
    isWaiting = true
    vi.advanceTimersByTime(7 * 24 * 60 * 60_000)
    expect({ over, isOver: time.isOver }).toEqual({ over: 0, isOver: false })
    isWaiting = false
    vi.advanceTimersByTime(60_000)
    expect({ over, isOver: time.isOver }).toEqual({ over: 1, isOver: true })
    const endless = new RunTime({
      limitMs: Number.POSITIVE_INFINITY,
      isWaiting: () => false,
      onOver: () => void over++,
    })
    vi.advanceTimersByTime(60_000)
    expect({ over, isOver: endless.isOver, timers: vi.getTimerCount() }).toEqual({ over: 1, isOver: false, timers: 0 })
  })
})

describe('a budget of tokens with a provider that does not count', () => {
  const nothing: LanguageModelV3Usage = {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  }
  const uncounted: LanguageModelV3StreamPart = {
    ...{ type: 'finish', finishReason: { unified: 'tool-calls', raw: 'x' }, usage: nothing },
  }
  const look = (end: LanguageModelV3StreamPart): ScriptedStep => [
    ...text('Some words to count. '.repeat(10)),
    ...call('c', 'look', { a: 'x' }),
    end,
  ]
  const document = '<tool name="look"/>\n<tool name="change"/>\n<user>\nGo.\n</user>\n'
  const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]

  test('is relies on an estimate, and every place says that it is one', async () => {
    const place = await makePlace(document)
    const { result, model, notices, chunks } = await hostileRun(place, [look(uncounted)], { tools, tokenBudget: 500 })
    expect(result).toMatchObject({
      status: 'failed',
      code: 'RUN_MAX_TOKENS',
      error: expect.stringMatching(/about \d+ tokens \(an estimate/),
      usage: { estimated: true },
    })
    expect(model.asked.length).toBeLessThan(10)
    expect(notices.filter(one => one.includes('relies on an estimate'))).toHaveLength(1)
    expect(chunks.findLast(({ type }) => type === 'message-metadata')).toMatchObject({
      messageMetadata: { usage: { estimated: true } },
    })
  })

  test('counts on after a pause, with the estimate of the earlier process', async () => {
    const place = await makePlace(document)
    const change: ScriptedStep = [...text('Word '.repeat(300)), ...call('d', 'change', { a: 'x' }), uncounted]
    const first = await hostileRun(place, [change], { tools, ask: async () => undefined, tokenBudget: 300 })
    expect(first.result).toMatchObject({ status: 'parked', usage: { estimated: true } })
    const second = await hostileRun(place, ['Never said.'], {
      ...{ tools, ask: async () => ({ approved: true }), tokenBudget: 300 },
    })
    expect(second.result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS', usage: { estimated: true } })
    expect(second.model.asked).toHaveLength(0)
  })

  test('is kept where the reply is not read to its end, because its call is complete', async () => {
    const place = await makePlace(document)
    const said = `${'Words. '.repeat(100)}<tool:look>\n<param:a>x</param:a>\n</tool:look>\nand more`
    const step: ScriptedStep = [...text(said), finish()]
    const options = { tools, syntax: 'xml', limit: 'one', tokenBudget: 1000, maxSteps: 50 } as const
    const { result } = await hostileRun(place, [step], options)
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS', usage: { estimated: true } })
  })

  test('law: no call begins after the sum has reached the budget, and it is an estimate if one call was not counted', async () => {
    const ends = fc.constantFrom(finish('tool-calls', 30), uncounted, finish('tool-calls', 0))
    await fc.assert(
      fc.asyncProperty(
        fc.array(ends, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 400 }),
        async (all, budget) => {
          const model = scriptedModel([...all.map(look), 'Done.'])
          const agent = createAgent({ model, tools, env: {}, tokenBudget: budget })
          const { usage, status } = await agent.run('Go').result
          const calls = all.slice(0, model.asked.length)
          expect(usage!.totalTokens >= budget || status === 'done').toBe(true)
          expect(usage!.estimated === true).toBe(calls.some(one => !isCounted(one)))
          expect(usage!.totalTokens).toBeGreaterThanOrEqual(50 * calls.length)
        },
      ),
      { numRuns: shareOf(100) },
    )
  })
})

function isCounted(end: LanguageModelV3StreamPart): boolean {
  return end.type === 'finish' && (end.usage.inputTokens.total ?? 0) > 0
}
