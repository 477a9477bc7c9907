import { createAgent, type Run, type RunResult } from '@argot/agent'
import { accumulate, type Chunk, getMessageText, type Message, toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { deferred, fakeTool } from './fake-tools.ts'

const env = {}

async function collect(run: Run): Promise<{ chunks: Chunk[]; result: RunResult; message: Message }> {
  const chunks: Chunk[] = []
  for await (const chunk of run) chunks.push(chunk)
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  fold.end()
  expect(fold.diagnostics).toEqual([])
  return { chunks, result: await run.result, message: fold.message! }
}

/** Each chunk in a word: its type, and the call or text it is about. */
function outline(chunks: readonly Chunk[]): string[] {
  return chunks.map(chunk => {
    if ('toolCallId' in chunk) return `${chunk.type} ${chunk.toolCallId}`
    return 'id' in chunk && typeof chunk.id === 'string' ? `${chunk.type} ${chunk.id}` : chunk.type
  })
}

function states(message: Message): string[] {
  return toolCalls(message).map(({ toolCallId, state }) => `${toolCallId} ${state}`)
}

describe('a run', () => {
  test('calls the model, runs its tool, and gives the result to the next step', async () => {
    const read = fakeTool('read', 'read', ({ a }) => `content of ${a}`)
    const model = scriptedModel([
      [...text('I look. '), ...call('c1', 'read', { a: 'x' }), finish('tool-calls')],
      'The answer.',
    ])
    const { chunks, result, message } = await collect(createAgent({ model, tools: [read], env }).run('Hello'))
    expect(result).toMatchObject({ status: 'done', text: 'The answer.' })
    expect(read.inputs).toEqual([{ a: 'x' }])
    expect(outline(chunks.filter(({ type }) => !type.endsWith('-delta')))).toMatchInlineSnapshot(`
      [
        "start",
        "start-step",
        "text-start text-1-1",
        "text-end text-1-1",
        "tool-input-start c1",
        "tool-input-available c1",
        "tool-output-available c1",
        "finish-step",
        "start-step",
        "text-start text-2-1",
        "text-end text-2-1",
        "finish-step",
        "finish",
      ]
    `)
    expect(chunks.at(-1)).toMatchObject({
      finishReason: 'stop',
      messageMetadata: { steps: 2, usage: { inputTokens: 20, outputTokens: 20, totalTokens: 40 } },
    })
    expect(model.asked[1]!.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'c1', output: { type: 'text', value: 'content of x' } }],
    })
    expect(message.parts.find(part => part.type === 'text')).toMatchObject({ phase: 'commentary', toolCallId: 'c1' })
    expect(result.message?.parts.length).toBe(message.parts.length)
  })

  test('a call that only reads starts while the model still writes; one that changes something waits', async () => {
    const order: string[] = []
    const started = deferred()
    const read = fakeTool('read', 'read', () => {
      order.push('read runs')
      started.resolve()
    })
    const write = fakeTool('write', 'write', () => void order.push('write runs'))
    const model = scriptedModel(
      [[...call('r', 'read', {}), ...call('w', 'write', {}), ...text('More text.'), finish('tool-calls')], 'Done.'],
      {
        async before(part, step) {
          if (step !== 0) return
          if (part.type === 'text-start') {
            await started.promise
            order.push('the model goes on')
          }
          if (part.type === 'finish') order.push('the model is done')
        },
      },
    )
    const { message } = await collect(createAgent({ model, tools: [read, write], approve: 'all', env }).run('Go'))
    expect(order).toEqual(['read runs', 'the model goes on', 'the model is done', 'write runs'])
    expect(states(message)).toEqual(['c1 output-available', 'c2 output-available'])
  })

  test('calls that change something go one after the other, in the order of the model', async () => {
    const order: string[] = []
    const noted = async ({ a }: Record<string, unknown>): Promise<void> => {
      order.push(`${a} starts`)
      // Time enough for any other call to start.
      for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
      order.push(`${a} ends`)
      if (a === 'two') throw new Error('It broke.')
    }
    const tools = [fakeTool('write', 'write', noted), fakeTool('exec', 'exec', noted)]
    const calls = [
      ...call('c1', 'write', { a: 'one' }),
      ...call('c2', 'exec', { a: 'two' }),
      ...call('c3', 'write', { a: 'three' }),
    ]
    const model = scriptedModel([[...calls, finish('tool-calls')], 'Done.'])
    await collect(createAgent({ model, tools, approve: 'all', env }).run('Go'))
    expect(order).toEqual(['one starts', 'one ends', 'two starts', 'two ends', 'three starts', 'three ends'])
  })

  test('outputs are recorded in the order of the calls, whichever is done first', async () => {
    const second = deferred()
    const slow = fakeTool('slow', 'read', () => second.promise)
    const fast = fakeTool('fast', 'read', () => second.resolve())
    const model = scriptedModel([[...call('c1', 'slow', {}), ...call('c2', 'fast', {}), finish('tool-calls')], 'Done.'])
    const { chunks } = await collect(createAgent({ model, tools: [slow, fast], env }).run('Go'))
    const outputs = chunks.filter(({ type }) => type === 'tool-output-available')
    expect(outline(outputs)).toEqual(['tool-output-available c1', 'tool-output-available c2'])
  })

  test('a result that had to wait for its turn does not count the waiting as its own time', async () => {
    let clock = 1000
    const second = deferred()
    const slow = fakeTool('slow', 'read', async () => {
      await second.promise
      // Until the other one is settled.
      await new Promise(resolve => setImmediate(resolve))
      clock += 5000
    })
    const fast = fakeTool('fast', 'read', () => {
      clock += 20
      second.resolve()
    })
    const model = scriptedModel([[...call('c1', 'slow', {}), ...call('c2', 'fast', {}), finish('tool-calls')], 'Done.'])
    const result = await createAgent({ model, tools: [slow, fast], env, now: () => clock }).run('Go').result
    const times = toolCalls(result.message!).map(({ startedAt, endedAt }) => endedAt! - startedAt!)
    expect(times).toEqual([5020, 20])
    expect(JSON.stringify(result.message)).not.toContain('waited')
  })

  test('at most eight tools run at a time', async () => {
    let now = 0
    let most = 0
    const gate = deferred()
    const tool = fakeTool('t', 'read', async () => {
      most = Math.max(most, ++now)
      if (now === 8) gate.resolve()
      await gate.promise
      now--
    })
    const calls = Array.from({ length: 30 }, (_, n) => call(`c${n}`, 't', { a: `${n}` })).flat()
    const model = scriptedModel([[...calls, finish('tool-calls')], 'Done.'])
    await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect(most).toBe(8)
    expect(tool.inputs.length).toBe(30)
  })

  test.each([
    ['an unknown tool', call('c', 'nope', {}), 'There is no tool "nope". The tools are: t.', 'TOOL_NOT_FOUND'],
    ['a tool that throws', call('c', 't', {}), 'It broke.', 'TOOL_FAILED'],
  ])('%s is an error for the model, and the loop goes on', async (_, parts, errorText, code) => {
    const tool = fakeTool('t', 'read', () => {
      throw new Error('It broke.')
    })
    const model = scriptedModel([[...parts, finish('tool-calls')], 'I see.'])
    const { chunks, result } = await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect(chunks).toContainEqual({
      type: 'tool-output-error',
      toolCallId: 'c1',
      errorText,
      providerMetadata: { argot: { code } },
    })
    expect(result).toMatchObject({ status: 'done', text: 'I see.' })
  })

  test('an error about bad arguments uses the words of the syntax in use', async () => {
    const tool = fakeTool('t', 'read', undefined, { validate: () => ({ ok: false, problem: '`a` is missing.' }) })
    const model = scriptedModel(['<tool:t>\n</tool:t>', 'I see.'])
    const { message } = await collect(createAgent({ model, tools: [tool], syntax: 'xml', env }).run('Go'))
    const [failed] = toolCalls(message)
    expect(failed).toMatchObject({ state: 'output-error' })
    expect(failed!.errorText).toContain('`a` is missing.')
    expect(failed!.errorText).toContain('<tool:t>')
    expect(tool.inputs).toEqual([])
  })

  test('input that is not JSON is an error for the model, and the loop goes on', async () => {
    const tool = fakeTool('t', 'read')
    const broken = [
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":' } as const,
      finish('tool-calls'),
    ]
    const model = scriptedModel([broken, 'I see.'])
    const { message, result } = await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect(states(message)).toEqual(['c1 output-error'])
    expect(result).toMatchObject({ status: 'done', text: 'I see.' })
    expect(tool.inputs).toEqual([])
  })

  test('the same id twice with the same input runs once; with another input it gets a name of its own', async () => {
    const tool = fakeTool('t', 'read', ({ a }) => a)
    const model = scriptedModel([
      [
        ...call('c', 't', { a: '1' }),
        ...call('c', 't', { a: '1' }),
        ...call('c', 't', { a: '2' }),
        finish('tool-calls'),
      ],
      'Done.',
    ])
    const { message } = await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect(tool.inputs).toEqual([{ a: '1' }, { a: '2' }])
    expect(toolCalls(message).map(({ toolCallId, output }) => [toolCallId, output])).toEqual([
      ['c1', '1'],
      ['c2', '2'],
    ])
  })

  test('a later step may use an id again: the tool sees another idempotency key', async () => {
    const keys: string[] = []
    const tool = fakeTool('t', 'write', (_, { idempotencyKey }) => void keys.push(idempotencyKey))
    const again = [...call('c', 't', { a: '1' }), finish('tool-calls')]
    const agent = createAgent({ model: scriptedModel([again, again, 'Done.']), tools: [tool], approve: 'all', env })
    const { message } = await collect(agent.run('Go'))
    expect(keys).toEqual([`${message.id}:c1`, `${message.id}:c2`])
  })

  test('no two calls have one idempotency key, also where a model writes our mark into an id', async () => {
    const keys: string[] = []
    const tool = fakeTool('t', 'write', (_, { idempotencyKey }) => void keys.push(idempotencyKey))
    const steps = ['c#2', 'c', 'c'].map(id => [...call(id, 't', { a: '1' }), finish('tool-calls')])
    const agent = createAgent({ model: scriptedModel([...steps, 'Done.']), tools: [tool], approve: 'all', env })
    const { message } = await collect(agent.run('Go'))
    expect(keys).toEqual(toolCalls(message).map(({ key }) => `${message.id}:${key}`))
    expect(new Set(keys).size).toBe(3)
  })

  test('a model that calls for ever ends at the limit of steps, every call settled', async () => {
    const tool = fakeTool('t', 'read')
    const model = scriptedModel([options => [...call(`c${options.prompt.length}`, 't', {}), finish('tool-calls')]])
    const { result, message } = await collect(createAgent({ model, tools: [tool], maxSteps: 7, env }).run('Go'))
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS' })
    expect(model.asked.length).toBe(7)
    expect(toolCalls(message).every(isSettled)).toBe(true)
  })

  test('a budget of tokens ends the run clearly', async () => {
    const tool = fakeTool('t', 'read')
    const model = scriptedModel([options => [...call(`c${options.prompt.length}`, 't', {}), finish('tool-calls', 50)]])
    const { result } = await collect(createAgent({ model, tools: [tool], tokenBudget: 250, env }).run('Go'))
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS' })
    expect(model.asked.length).toBe(3)
  })

  test('a price gives the cost', async () => {
    const model = scriptedModel([[...text('Hi'), finish('stop', 500_000)]])
    const { chunks } = await collect(createAgent({ model, price: { input: 2, output: 10 }, env }).run('Go'))
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { usage: { cost: 6 } } })
  })

  test.each(['length', 'content-filter', 'error'] as const)(
    'finish reason %s: calls that were written and not run are settled with the reason',
    async reason => {
      const tool = fakeTool('w', 'write')
      const model = scriptedModel([[...call('c', 'w', {}), finish(reason)], 'Then.'])
      const { message } = await collect(createAgent({ model, tools: [tool], approve: 'all', env }).run('Go'))
      expect(tool.inputs).toEqual([])
      expect(states(message)).toEqual(['c1 output-error'])
      expect(toolCalls(message)[0]!.errorText).toMatch(/didn't run|The run failed before/)
    },
  )

  test('a stream that stops in the middle fails the run and keeps what was said', async () => {
    const model = scriptedModel([text('Half an').slice(0, -1)])
    const { result, message } = await collect(createAgent({ model, env }).run('Go'))
    expect(result).toMatchObject({ status: 'failed', code: 'MODEL_STREAM_BROKEN' })
    expect(message).toMatchObject({ status: 'error' })
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'Half an', state: 'aborted' })
  })

  test('a tool that never returns is ended after its time, and its signal tells it', async () => {
    let told = false
    const tool = fakeTool(
      't',
      'read',
      (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            told = true
          })
        }),
      { timeoutMs: 5 },
    )
    const model = scriptedModel([[...call('c', 't', {}), finish('tool-calls')], 'I see.'])
    const { message, result } = await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect(states(message)).toEqual(['c1 output-error'])
    expect(told).toBe(true)
    expect(result).toMatchObject({ status: 'done' })
  })

  test('a thousand calls in one message are all run and all settled', async () => {
    const tool = fakeTool('t', 'read', ({ a }) => a)
    const calls = Array.from({ length: 1000 }, (_, n) => call(`c${n}`, 't', { a: `${n}` })).flat()
    const model = scriptedModel([[...calls, finish('tool-calls')], 'Done.'])
    const { message } = await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect(toolCalls(message).map(({ output }) => output)).toEqual(Array.from({ length: 1000 }, (_, n) => `${n}`))
  })

  test('keys of the environment do not come out of a tool', async () => {
    const key = 'sk-verysecret-1234567890'
    const tool = fakeTool('t', 'read', () => ({ log: `key=${key}` }))
    const failing = fakeTool('f', 'read', () => {
      throw new Error(`bad key ${key}`)
    })
    const model = scriptedModel([[...call('c', 't', {}), ...call('d', 'f', {}), finish('tool-calls')], 'Done.'])
    const agent = createAgent({ model, tools: [tool, failing], env: { OPENAI_API_KEY: key } })
    const { chunks } = await collect(agent.run('Go'))
    expect(JSON.stringify(chunks)).not.toContain(key)
    expect(JSON.stringify(model.asked)).not.toContain(key)
    expect(JSON.stringify(chunks)).toContain('redacted')
  })

  test('an output of 100 MB is cut before it is recorded', async () => {
    const tool = fakeTool('t', 'read', () => 'x'.repeat(100_000_000))
    const model = scriptedModel([[...call('c', 't', {}), finish('tool-calls')], 'Done.'])
    const { message } = await collect(createAgent({ model, tools: [tool], env }).run('Go'))
    expect((toolCalls(message)[0]!.output as string).length).toBeLessThan(400 * 1024)
  })
})

describe('stopping', () => {
  const steps = [
    [...text('I look. '), ...call('r', 'read', { a: 'x' }), ...call('w', 'write', { a: 'y' }), finish('tool-calls')],
    [
      { type: 'reasoning-start', id: 'r' } as const,
      { type: 'reasoning-delta', id: 'r', delta: 'Hm' } as const,
      { type: 'reasoning-end', id: 'r' } as const,
      ...text('The answer is long.'),
      finish(),
    ],
  ]

  async function stopAt(
    index: number,
    syntax?: string,
  ): Promise<{ chunks: Chunk[]; message: Message; result: RunResult }> {
    const stop = new AbortController()
    const read = fakeTool('read', 'read')
    const write = fakeTool('write', 'write')
    const script =
      syntax === undefined
        ? steps
        : ['I look.\n\n<tool:read>\n<param:a>x</param:a>\n</tool:read>', 'The answer is long.']
    const agent = createAgent({
      ...{ model: scriptedModel(script), tools: [read, write], approve: 'all' as const, env },
      ...(syntax === undefined ? {} : { syntax }),
    })
    const run = agent.run('Go', { signal: stop.signal })
    const chunks: Chunk[] = []
    for await (const chunk of run) {
      if (chunks.push(chunk) === index + 1) stop.abort('Enough.')
    }
    const fold = accumulate()
    for (const chunk of chunks) fold.push(chunk)
    fold.end()
    expect(fold.diagnostics).toEqual([])
    return { chunks, message: fold.message!, result: await run.result }
  }

  test.each([undefined, 'xml'])('at every chunk leaves every call settled and the stream ended (%s)', async syntax => {
    const whole = await stopAt(Number.POSITIVE_INFINITY, syntax)
    expect(whole.result.status).toBe('done')
    for (let index = 0; index < whole.chunks.length - 1; index++) {
      const { chunks, message, result } = await stopAt(index, syntax)
      expect(['finish', 'abort']).toContain(chunks.at(-1)!.type)
      expect(toolCalls(message).every(isSettled)).toBe(true)
      expect(message.parts.every(part => part.type !== 'text' || part.state !== 'streaming')).toBe(true)
      expect(result.status).toBe(chunks.at(-1)!.type === 'abort' ? 'stopped' : 'done')
    }
  })

  test('a reader that leaves stops the run, and the result still comes', async () => {
    const model = scriptedModel(steps)
    const run = createAgent({ model, tools: [fakeTool('read', 'read'), fakeTool('write', 'write')], env }).run('Go')
    for await (const chunk of run) if (chunk.type === 'tool-input-start') break
    expect(await run.result).toMatchObject({ status: 'stopped' })
  })

  test('a run that nobody reads comes to its end', async () => {
    expect(await createAgent({ model: scriptedModel(['Hi']), env }).run('Go').result).toMatchObject({ text: 'Hi' })
  })
})

test.each([
  ['finished', [[...text('a', 'The answer.'), finish('stop')]], undefined],
  ['called tools first', [[...text('a', 'First.'), ...call('c', 't', {}), finish('tool-calls')], 'Done.'], undefined],
  ['reached the token limit', [[...text('a', 'Half an ans'), finish('length')]], undefined],
  ['was stopped', [[...text('a', 'Let me see.'), ...call('c', 't', {}), finish('tool-calls')], 'Done.'], 'stop'],
] as const)('the text of a run that %s is what its message says', async (_, steps, stop) => {
  const tool = fakeTool('t', 'read', () => {
    if (stop !== undefined) run.stop()
  })
  const agent = createAgent({ model: scriptedModel(steps as never), tools: [tool], approve: 'all', env })
  const run = agent.run('Go')
  const result = await run.result
  expect(result.text).toBe(getMessageText(result.message!))
  expect(result.text === '').toBe(stop !== undefined)
})
