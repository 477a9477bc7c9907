import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import type { Chunk } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const document = '<tool name="look"/>\n<tool name="change"/>\n\n<user>\nGo.\n</user>\n'
const look = (id: string): ScriptedStep => [...call(id, 'look', { a: id }), finish('tool-calls')]
const change = (id: string): ScriptedStep => [...call(id, 'change', { a: id }), finish('tool-calls')]

/** A document whose runs share one model; each step of it uses twenty tokens. */
async function place(steps: readonly ScriptedStep[], files: Record<string, string> = { 'chat.chatmd': document }) {
  const folder = await documentFolder(files)
  const model = scriptedModel(steps)
  const tools = [fakeTool('look', 'read'), fakeTool('change', 'write')]
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model, tools }
  const run = (options: RunOptions = {}) => follow(runDocument('chat.chatmd', { ...shared, ...options }))
  return { run, model, shared, file: join(folder, 'chat.chatmd') }
}

const parks: RunOptions = { ask: async () => undefined }
const agrees: RunOptions = { ask: async () => ({ approved: true }) }

function finishOf(chunks: readonly Chunk[]): Chunk | undefined {
  return chunks.findLast(chunk => chunk.type === 'finish')
}

describe('a run that was parked and is continued', () => {
  test('counts the steps and tokens of the whole run', async () => {
    const { run, file } = await place([look('a'), change('b'), look('c'), 'Done.'])
    const parked = await run(parks)
    expect(parked.result).toMatchObject({ status: 'parked', steps: 2, usage: { totalTokens: 40 } })
    const { result, chunks } = await run(agrees)
    const whole = { steps: 4, usage: { inputTokens: 40, outputTokens: 40, totalTokens: 80 } }
    expect(result).toMatchObject({ status: 'done', text: 'Done.', ...whole })
    expect(finishOf(chunks)).toMatchObject({ messageMetadata: whole })
    expect((await readMessages(file)).at(-1)).toMatchObject({ metadata: whole })
  })

  test('costs what the whole run costs', async () => {
    const { run } = await place([change('a'), 'Done.'])
    const price = { input: 1e5, output: 0 }
    await run({ ...parks, price })
    expect((await run({ ...agrees, price })).result).toMatchObject({ cost: 2 })
  })

  test('has no more steps than a run may have', async () => {
    const { run, model } = await place([look('a'), change('b'), look('c'), look('d'), 'Done.'])
    await run({ ...parks, maxSteps: 3 })
    const { result } = await run({ ...agrees, maxSteps: 3 })
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_STEPS', steps: 3 })
    expect(model.asked).toHaveLength(3)
  })

  test('has no more tokens than a run may have', async () => {
    const { run, model } = await place([look('a'), change('b'), look('c'), look('d'), 'Done.'])
    await run({ ...parks, tokenBudget: 50 })
    const { result } = await run({ ...agrees, tokenBudget: 50 })
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS', usage: { totalTokens: 60 } })
    expect(model.asked).toHaveLength(3)
  })

  test('is another run after a limit has ended it, with steps and tokens of its own', async () => {
    const { run } = await place([look('a'), look('b'), 'Done.'])
    expect((await run({ maxSteps: 2 })).result).toMatchObject({ code: 'RUN_MAX_STEPS' })
    expect((await run({ maxSteps: 2 })).result).toMatchObject({ status: 'done', steps: 1, usage: { totalTokens: 20 } })
  })
})

describe('a run whose process is gone', () => {
  test('counts the steps that were finished; the one that is made again counts once', async () => {
    const leave = new AbortController()
    const steps = [look('a'), look('b'), look('b'), 'Done.']
    const { shared, run } = await place(steps)
    const model = scriptedModel(steps, {
      before: (part, step) => {
        if (step === 1 && part.type === 'tool-call') leave.abort()
      },
    })
    await follow(runDocument('chat.chatmd', { ...shared, model, leave: leave.signal }))
    const { result } = await run({ model: scriptedModel(steps.slice(1)), maxSteps: 4 })
    expect(result).toMatchObject({ status: 'done', steps: 4, usage: { totalTokens: 80 } })
  })

  test('counts an answer that was taken back', async () => {
    const outputSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const
    const { run } = await place(['No.', change('c'), '{"a":"b"}'])
    await run({ ...parks, outputSchema })
    const { result } = await run({ ...agrees, outputSchema })
    expect(result).toMatchObject({ status: 'done', steps: 3, usage: { totalTokens: 60 } })
  })
})

describe('the tokens of an agent inside a call', () => {
  const files = {
    'chat.chatmd': '<tool name="helper" agent="helper.chatmd" local/>\n<tool name="change"/>\n\n<user>\nGo.\n</user>\n',
    'helper.chatmd': '<tool name="look"/>\n',
  }
  const helper: ScriptedStep = [...call('h', 'helper', { input: 'Help.' }), finish('tool-calls')]

  test('count for a run that is continued', async () => {
    const { run } = await place([helper, look('a'), 'Helped.', change('b'), 'Done.'], files)
    const policy = { approve: { default: 'ask', helper: 'all' } } as const
    const parked = await run({ ...parks, ...policy })
    expect(parked.result).toMatchObject({ status: 'parked', usage: { totalTokens: 80 } })
    const { result } = await run({ ...agrees, ...policy })
    expect(result).toMatchObject({ status: 'done', steps: 3, usage: { totalTokens: 100 } })
  })

  test('count also where the agent fails', async () => {
    const broken: ScriptedStep = [{ type: 'error', error: new Error('Gone.') }]
    const { run } = await place([helper, look('a'), broken, 'Done.'], files)
    const { result } = await run({ approve: 'all' })
    expect(result).toMatchObject({ status: 'done', text: 'Done.', usage: { totalTokens: 60 } })
  })

  test('end the run where the agent has used up the budget', async () => {
    const { run, model } = await place([helper, look('a'), look('b'), 'Helped.', 'Done.'], files)
    const { result } = await run({ approve: 'all', tokenBudget: 50 })
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS', usage: { totalTokens: 60 } })
    expect(model.asked).toHaveLength(3)
  })
})
