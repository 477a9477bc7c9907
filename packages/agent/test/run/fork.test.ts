import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunOptions, runDocument, type Tool } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { type Chunk, toolCalls } from '@argot/core'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const chat = '<tool name="fork"/>\n<tool name="look"/>\n<tool name="change"/>\n\n<user>\nGo.\n</user>\n'
const fork = (task: string, id = 'f'): ScriptedStep => [...call(id, 'fork', { task }), finish('tool-calls')]
const look: ScriptedStep = [...text('I look. '), ...call('l', 'look', { a: 'x' }), finish('tool-calls')]
const change: ScriptedStep = [...call('c', 'change', { a: 'x' }), finish('tool-calls')]

function tools(changes: unknown[] = []): Tool[] {
  return [
    fakeTool('look', 'read', () => 'looked'),
    fakeTool('change', 'write', input => {
      changes.push(input)
      return 'changed'
    }),
  ]
}

async function start(steps: readonly ScriptedStep[], options: RunOptions = {}, source = chat) {
  const folder = await documentFolder({ 'chat.chatmd': source })
  const model = scriptedModel(steps)
  const changes: unknown[] = []
  const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model, tools: tools(changes) }
  const running = runDocument('chat.chatmd', { ...shared, approve: 'all', ...options })
  return { running, model, folder, changes }
}

async function run(steps: readonly ScriptedStep[], options: RunOptions = {}, source?: string) {
  const { running, ...rest } = await start(steps, options, source)
  return { ...(await follow(running)), ...rest }
}

test('a fork has the history and the tools, and only its answer comes back', async () => {
  const { result, model, folder } = await run([look, fork('Count them.'), look, 'There are three.', 'Done.'])
  expect(result).toMatchObject({ status: 'done', text: 'Done.' })
  const [, outer, first, second, last] = model.asked.map(({ prompt }) => prompt)
  // What the run was asked is the beginning of what its fork is asked, to the letter: a provider has it in its cache.
  expect(first!.slice(0, outer!.length)).toEqual(outer)
  expect(first!.slice(outer!.length)).toEqual([
    {
      role: 'user',
      content: [{ type: 'text', text: expect.stringMatching(/fork of this conversation.*Count them\.$/s) }],
    },
  ])
  expect(model.asked[2]!.tools).toEqual(model.asked[1]!.tools)
  expect(second!.slice(0, first!.length)).toEqual(first)
  expect(JSON.stringify(last)).not.toContain('Count them.","providerOptions')
  expect(toolCalls(result.message!).map(({ toolName, output }) => [toolName, output])).toEqual([
    ['look', 'looked'],
    ['fork', 'There are three.'],
  ])
  expect((await readFile(join(folder, 'chat.chatmd'), 'utf8')).match(/<tool_call/g)).toHaveLength(2)
})

test('the tokens of forks count for the run, and its budget ends it', async () => {
  const steps = [fork('One.'), look, 'One.', 'Done.']
  const { chunks } = await run(steps)
  expect(chunks.findLast(chunk => chunk.type === 'finish')).toMatchObject({
    messageMetadata: { usage: { totalTokens: 80 } },
  })
  const { result, model } = await run(steps, { tokenBudget: 40 })
  expect(result).toMatchObject({ status: 'failed', code: 'RUN_MAX_TOKENS' })
  expect(model.asked).toHaveLength(2)
})

test('what a fork does is asked about at the top, with its name', async () => {
  const asked: unknown[] = []
  const { result, changes } = await run([fork('Outer.'), fork('Inner.'), change, 'In.', 'Out.', 'Done.'], {
    approve: { default: 'ask', fork: 'all' },
    ask: async ({ toolName, agents }) => {
      asked.push([toolName, agents])
      return { approved: asked.length === 1 }
    },
  })
  expect(result.status).toBe('done')
  expect(asked).toEqual([['change', ['fork', 'fork']]])
  expect(changes).toHaveLength(1)
})

test('a fork that may change something is asked about itself, and one that only reads is not', async () => {
  const asked: string[] = []
  const ask: RunOptions['ask'] = async ({ toolName }) => {
    asked.push(toolName)
    return { approved: false }
  }
  const { changes } = await run([fork('Change it.'), 'Done.'], { approve: 'ask', ask })
  expect([asked, changes]).toEqual([['fork'], []])
  const folder = await documentFolder({
    'chat.chatmd': '<tool name="fork"/>\n<tool name="look"/>\n<user>\nGo.\n</user>\n',
  })
  const effect = async (own: Tool[]): Promise<unknown> => {
    const options = {
      cwd: folder,
      env: {},
      configFolder: join(folder, 'config'),
      model: scriptedModel(['']),
      tools: own,
    }
    return (await previewDocument('chat.chatmd', options)).tools.find(({ name }) => name === 'fork')?.effect
  }
  expect([await effect(tools().slice(0, 1)), await effect([fakeTool('look', 'write')])]).toEqual(['read', 'exec'])
})

test('a question of a fork inside a fork can be answered from outside by the way to it', async () => {
  const { running, changes } = await start([fork('Outer.'), fork('Inner.'), change, 'In.', 'Out.', 'Done.'], {
    approve: { default: 'ask', fork: 'all' },
    ask: 'wait',
  })
  const answers: string[] = []
  const inside = (chunk: Chunk): Chunk[] =>
    chunk.type === 'data-argot-sub' && 'data' in chunk
      ? [chunk, ...inside((chunk.data as { chunk: Chunk }).chunk)]
      : [chunk]
  for await (const chunk of running) {
    for (const one of inside(chunk)) {
      if (one.type !== 'tool-approval-request' || one.approvalId?.split('/').length !== 3) continue
      expect(running.answer(`c9/${one.approvalId}`, { approved: true })).toBe(false)
      if (running.answer(one.approvalId, { approved: true })) answers.push(one.approvalId)
    }
  }
  expect(answers).toHaveLength(1)
  expect([(await running.result).status, changes.length]).toEqual(['done', 1])
})

test('forks end at a depth', async () => {
  const { result } = await run([...Array.from({ length: 9 }, () => fork('Deeper.')), 'Up.'])
  expect(result.status).toBe('done')
  const { model } = await run([
    ...Array.from({ length: 9 }, () => fork('Deeper.')),
    ({ prompt }) => {
      expect(JSON.stringify(prompt.at(-1))).toContain('nested more than 8 deep')
      return 'Up.'
    },
  ])
  expect(model.asked).toHaveLength(18)
})

test('a fork that fails is an error of its call; a stop goes through it', async () => {
  const broken: ScriptedStep = () => {
    throw new Error('The provider is gone.')
  }
  const failing = await run([fork('Fail.'), broken, 'Done.'])
  expect(toolCalls(failing.result.message!)[0]).toMatchObject({
    errorText: expect.stringContaining('The fork returned no answer'),
  })
  expect(failing.result.status).toBe('done')
  const stop = new AbortController()
  const halt: ScriptedStep = () => {
    stop.abort()
    return 'Never said.'
  }
  const { result } = await run([fork('Stop.'), halt], { signal: stop.signal })
  expect(result.status).toBe('stopped')
})

test('two forks of one step have the same history, and run one after the other where they may change something', async () => {
  const both: ScriptedStep = [
    ...call('f', 'fork', { task: 'A.' }),
    ...call('g', 'fork', { task: 'B.' }),
    finish('tool-calls'),
  ]
  const { result, model } = await run([both, 'First.', 'Second.', 'Done.'])
  expect(toolCalls(result.message!).map(({ output }) => output)).toEqual(['First.', 'Second.'])
  expect(model.asked[1]!.prompt.slice(0, -1)).toEqual(model.asked[2]!.prompt.slice(0, -1))
})

test('an agent can fork itself', async () => {
  const folder = await documentFolder({
    'chat.chatmd': '<tool name="helper" agent="helper.chatmd" local/>\n<user>\nGo.\n</user>\n',
    'helper.chatmd': '<system>\nYou help.\n</system>\n<tool name="fork"/>\n',
  })
  const model = scriptedModel([
    [...call('h', 'helper', { input: 'Help.' }), finish('tool-calls')],
    fork('Think.'),
    'Thought.',
    'Helped.',
    'Done.',
  ])
  const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model, approve: 'all' } as const
  const { result } = await follow(runDocument('chat.chatmd', options))
  expect(result).toMatchObject({ status: 'done', text: 'Done.' })
  expect(JSON.stringify(model.asked[2]!.prompt)).toContain('You help.')
})
