import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { callsThenAnswer, expectReadBack, hostileRun, makePlace, textsBelow } from './hostile-run.ts'

const MiB = 1024 * 1024
const document = '<tool name="flood"/>\n<user>\nGo.\n</user>\n'

/** How much more memory the work needs at its most, looked at every few milliseconds. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 5)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return Math.max(most, process.memoryUsage.rss()) - before
}

test('a program that prints 100 MB costs little memory and leaves a small document', async () => {
  const place = await makePlace(document.replace('/>', ' command="node flood.cjs"/>'), {
    'project/flood.cjs': `
const { writeSync } = require('node:fs')
const line = Buffer.from('0123456789abcde\\n'.repeat(65536))
for (let i = 0; i < 100; i++) for (let at = 0; at < line.length; ) {
  try { at += writeSync(1 + (i % 2), line, at) } catch (error) { if (error.code !== 'EAGAIN') throw error }
}`,
  })
  const grown = await growth(async () => {
    const options = { approve: 'all', allowExec: true, env: { PATH: process.env.PATH } } as const
    const { calls, result } = await hostileRun(place, callsThenAnswer(['flood', {}]), options)
    const { output, resultProviderMetadata } = calls[0]!
    expect(resultProviderMetadata).toMatchObject({
      argot: { details: { exitCode: 0, stdoutBytes: 50 * MiB, stderrBytes: 50 * MiB } },
    })
    expect(String(output)).toMatch(/bytes are left out/)
    expect(String(output).length).toBeLessThan(400 * 1024)
    await expectReadBack(place, result)
  })
  expect(grown).toBeLessThan(300 * MiB)
  expect((await textsBelow(place.project)).length).toBeLessThan(2 * MiB)
})

test.each([
  ['a text', () => 'x'.repeat(100 * MiB)],
  ['a list', () => Array.from({ length: 100 }, () => 'x'.repeat(MiB))],
  ['an object', () => Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, 'é'.repeat(MiB)]))],
])('a tool in code that gives %s of 100 MB is cut, and so is what it shows before', async (_, make) => {
  const place = await makePlace(document)
  const flood = fakeTool('flood', 'read', (_, { preview }) => {
    const all = make()
    preview(all)
    return all
  })
  const grown = await growth(async () => {
    const { result, calls, chunks } = await hostileRun(place, callsThenAnswer(['flood', {}]), { tools: [flood] })
    expect(JSON.stringify(calls[0]!.output)).toMatch(
      /\[Cut here: \d+ of \d+ (?:characters|items|fields) were left out\.\]/,
    )
    expect(JSON.stringify(chunks).length).toBeLessThan(2 * MiB)
    await expectReadBack(place, result)
  })
  expect(grown).toBeLessThan(450 * MiB)
  expect((await textsBelow(place.project)).length).toBeLessThan(4 * MiB)
})

test('an error of 50 MB is cut', async () => {
  const place = await makePlace(document)
  const flood = fakeTool('flood', 'read', () => {
    throw new Error('x'.repeat(50 * MiB))
  })
  const { calls, result } = await hostileRun(place, callsThenAnswer(['flood', {}]), { tools: [flood] })
  expect(calls[0]!.errorText!.length).toBeLessThan(20 * 1024)
  await expectReadBack(place, result)
})

test('a model that calls tools for ever is stopped by the limit of steps, and everything is settled', async () => {
  const place = await makePlace(document)
  const flood = fakeTool('flood', 'read')
  const steps = [[...call('same', 'flood', { a: 'x' }), finish('tool-calls')]]
  const { result, calls, model } = await hostileRun(place, steps, { tools: [flood], maxSteps: 7 })
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS' })
  expect([model.asked.length, flood.inputs.length, calls.length]).toEqual([7, 7, 7])
  expect(calls.every(({ state }) => state === 'output-available')).toBe(true)
  await expectReadBack(place, result)
})

test('calls that cannot be read, and calls of nothing, use up the steps too', async () => {
  const place = await makePlace(document)
  const bad: LanguageModelV3StreamPart[] = [{ type: 'tool-call', toolCallId: 'c', toolName: 'flood', input: '{' }]
  const steps = [[...bad, ...call('d', 'no_such_tool', {}), finish('tool-calls')]]
  const { result, model } = await hostileRun(place, steps, { tools: [fakeTool('flood', 'read')], maxSteps: 3 })
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS' })
  expect(model.asked).toHaveLength(3)
  await expectReadBack(place, result)
})

/** A model that never stops; counts what was taken of it. */
function endless(part: (n: number) => LanguageModelV3StreamPart) {
  const model = scriptedModel([''])
  const state = { taken: 0, cancelled: false }
  model.doStream = () =>
    Promise.resolve({
      stream: new ReadableStream({
        async pull(controller) {
          // A turn of the event loop for each: a stream from a network is never there all at once.
          await new Promise(resolve => setImmediate(resolve))
          controller.enqueue(part(state.taken++))
        },
        cancel() {
          state.cancelled = true
        },
      }),
    })
  return { model, state }
}

test.each(['native', 'xml', 'callout'])(
  'an endless text is read no further once the caller stops (%s)',
  async syntax => {
    const place = await makePlace(document)
    const { model, state } = endless(() => ({ type: 'text-delta', id: '0', delta: 'and on and on ' }))
    const stop = new AbortController()
    const run = runDocument(place.file, {
      ...{ cwd: place.project, env: {}, configFolder: place.config, signal: stop.signal },
      ...{ tools: [fakeTool('flood', 'read')], model, syntax },
    })
    let chunks = 0
    for await (const _ of run) if (++chunks === 50) stop.abort()
    const { taken } = state
    expect(await run.result).toMatchObject({ status: 'stopped' })
    expect(state.cancelled).toBe(true)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(state.taken).toBeLessThanOrEqual(taken + 1)
    await expectReadBack(place, await run.result)
  },
)

test('a reader that leaves stops an endless call, and nothing of it is run', async () => {
  const place = await makePlace(document)
  const flood = fakeTool('flood', 'read')
  const { model, state } = endless(n =>
    n === 0
      ? { type: 'tool-input-start', id: 'c', toolName: 'flood' }
      : { type: 'tool-input-delta', id: 'c', delta: n === 1 ? '{"a":"' : 'x'.repeat(1000) },
  )
  const run = runDocument(place.file, {
    ...{ cwd: place.project, env: {}, configFolder: place.config, tools: [flood], model },
  })
  let chunks = 0
  for await (const _ of run) if (++chunks === 100) break
  expect(await run.result).toMatchObject({ status: 'stopped' })
  expect(state.cancelled).toBe(true)
  expect(flood.inputs).toEqual([])
})

test('past the limit of calls nothing more is read of an endless text', async () => {
  const place = await makePlace(document)
  const flood = fakeTool('flood', 'read')
  const { model, state } = endless(n => ({
    ...{ type: 'text-delta', id: '0' },
    delta: n === 0 ? '<tool:flood>\n<param:a>x</param:a>\n</tool:flood>\n' : 'and on and on ',
  }))
  const { result } = await hostileRun(place, [], { model, syntax: 'xml', tools: [flood], maxSteps: 1 })
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS' })
  expect(state.taken).toBeLessThan(6)
  expect(flood.inputs).toEqual([{ a: 'x' }])
})

test('a thousand calls in one message are all settled when nobody can be asked', async () => {
  const place = await makePlace('<config show_tool_call/>\n<tool name="write_file"/>\n<user>\nGo.\n</user>\n')
  const many = Array.from({ length: 1000 }, (_, n) => call(`c${n}`, 'write_file', { path: `f${n}`, content: 'x' }))
  const { calls, result } = await hostileRun(place, [[...many.flat(), finish('tool-calls')], 'Done.'])
  expect(calls).toHaveLength(1000)
  const codes = calls.map(one => one.resultProviderMetadata?.argot?.code)
  expect(new Set(codes)).toEqual(new Set(['TOOL_NEEDS_APPROVAL']))
  expect(calls[0]!.errorText).toMatch(/--approve all/)
  expect(result.status).toBe('done')
  await expect(readFile(join(place.project, 'f0'))).rejects.toThrow()
  await expectReadBack(place, result)
})

test('the tokens of a run are bounded by its budget', async () => {
  const place = await makePlace(document)
  const steps = [[...call('c', 'flood', { a: 'x' }), finish('tool-calls', 100)]]
  const { result, model } = await hostileRun(place, steps, { tools: [fakeTool('flood', 'read')], tokenBudget: 500 })
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS' })
  expect(model.asked).toHaveLength(3)
})
