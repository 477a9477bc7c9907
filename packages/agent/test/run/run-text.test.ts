import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createAgent, defineTool, type Run, runDocument } from '@argot/agent'
import { ArgotError } from '@argot/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder } from './document-folder.ts'

interface Case {
  steps?: readonly ScriptedStep[]
  /** A model by its name, for which there is no key. */
  model?: string
  options?: { maxSteps?: number; tokenBudget?: number; outputSchema?: object }
  /** Stops the run: before it begins, or with its first words. */
  stop?: 'immediately' | 'while it speaks'
  status: string
  gives?: string
  rejects?: { code: string; message: RegExp | string }
}

const writes = [...call('c1', 'save', {}), finish('tool-calls')]
const picks = [...call('c1', 'pick', {}), finish('tool-calls')]
const pick = defineTool({ name: 'pick', description: 'Picks.', inputSchema: { type: 'object' }, effect: 'read' })
const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

const cases: [string, Case][] = [
  ['the answer of a run that is done', { steps: ['Hello there.'], status: 'done', gives: 'Hello there.' }],
  [
    'the answer without its commentary',
    {
      steps: [[...text('I look.'), ...call('c1', 'look', {}), finish('tool-calls')], 'Found.'],
      status: 'done',
      gives: 'Found.',
    },
  ],
  [
    'the text of a typed answer, whose value `result` has',
    { steps: ['{"n": 1}'], options: { outputSchema }, status: 'done', gives: '{"n": 1}' },
  ],
  [
    'the failure of a model without a key',
    { model: 'openai:gpt-4o', status: 'failed', rejects: { code: 'MODEL_MISSING_KEY', message: /OPENAI_API_KEY/ } },
  ],
  [
    'the failure of a typed answer that does not fit',
    {
      steps: ['no', 'no'],
      options: { outputSchema },
      status: 'failed',
      rejects: { code: 'RUN_BAD_OUTPUT', message: /./ },
    },
  ],
  [
    'the limit that cut the run, though there is text',
    {
      steps: [[...text('I look.'), ...call('c1', 'look', {}), finish('tool-calls')]],
      options: { maxSteps: 1 },
      status: 'failed',
      rejects: { code: 'RUN_MAX_STEPS', message: /limit of one step/ },
    },
  ],
  [
    'the budget that cut the run',
    {
      steps: [[...call('c1', 'look', {}), finish('tool-calls')]],
      options: { tokenBudget: 1 },
      status: 'failed',
      rejects: { code: 'RUN_MAX_TOKENS', message: /budget of 1\./ },
    },
  ],
  [
    'an answer that the token limit of the model cut',
    {
      steps: [[...text('Half an'), finish('length')]],
      status: 'failed',
      rejects: { code: 'MODEL_REPLY_CUT', message: /./ },
    },
  ],
  [
    'that the run was stopped before it began',
    { steps: ['Never.'], stop: 'immediately', status: 'stopped', rejects: { code: 'RUN_STOPPED', message: /stopped/ } },
  ],
  [
    'that the run was stopped in the middle of its words',
    {
      steps: ['One two three.'],
      stop: 'while it speaks',
      status: 'stopped',
      rejects: { code: 'RUN_STOPPED', message: /stopped/ },
    },
  ],
  [
    'the call whose approval the run waits for',
    { steps: [writes], status: 'parked', rejects: { code: 'RUN_PARKED', message: /waiting for save\./ } },
  ],
  [
    'the client tool that the run waits for',
    { steps: [picks], status: 'parked', rejects: { code: 'RUN_PARKED', message: /waiting for pick\./ } },
  ],
]

/** Each door starts the run of a case. */
const doors: [string, (given: Case, signal: AbortSignal, model: never) => Promise<Run>][] = [
  [
    'createAgent',
    async (given, signal, model) => {
      const tools = [fakeTool('save', 'write'), fakeTool('look', 'read'), pick]
      const agent = createAgent({ ...given.options, model, tools, env: {}, ask: async () => undefined } as never)
      return agent.run('Go', { signal })
    },
  ],
  [
    'runDocument',
    async (given, signal, model) => {
      const source = '<tool name="save"/>\n<tool name="look"/>\n<tool name="pick"/>\n\n<user>\nGo\n</user>\n'
      const folder = await documentFolder({ 'chat.chatmd': source })
      const tools = [fakeTool('save', 'write'), fakeTool('look', 'read'), pick]
      const place = { env: {}, cwd: folder, configFolder: join(folder, 'config') }
      const options = { ...given.options, ...place, model, tools, signal, ask: async () => undefined }
      return runDocument('chat.chatmd', options as never)
    },
  ],
]

describe.each(doors)('run.text of %s gives or rejects with', (_, start) => {
  test.each(cases)('%s', async (_name, given) => {
    const stop = new AbortController()
    if (given.stop === 'immediately') stop.abort()
    // The model never comes to the end of its words.
    const before = (part: { type: string }): Promise<void> | undefined => {
      if (given.stop !== 'while it speaks' || part.type !== 'text-end') return undefined
      stop.abort()
      return new Promise(() => {})
    }
    const model = given.model ?? scriptedModel(given.steps!, { before })
    const run = await start(given, stop.signal, model as never)
    const [answer, result] = await Promise.allSettled([run.text, run.result])
    // The result is data, however the run ended.
    expect(result).toMatchObject({ status: 'fulfilled', value: { status: given.status } })
    if (given.rejects === undefined) expect(answer).toEqual({ status: 'fulfilled', value: given.gives })
    else {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: given.rejects.code } })
      const { reason } = answer as PromiseRejectedResult
      expect(reason).toBeInstanceOf(ArgotError)
      expect(reason.message).toMatch(given.rejects.message)
    }
    const { value } = result as PromiseFulfilledResult<Awaited<Run['result']>>
    if (value.status === 'done') expect(await run.text).toBe(value.text)
    if (value.status === 'failed') expect((answer as PromiseRejectedResult).reason.message).toBe(value.error)
  })
})

describe('in a program', () => {
  let program = ''
  beforeAll(() => {
    program = bundlePrograms([join(import.meta.dirname, 'text-program.ts')])[0]!
  })
  const start = (how: string) =>
    promisify(execFile)(process.execPath, [program, how], { env: { PATH: process.env.PATH } })

  test('a failure that is awaited ends it with the words of the failure', async () => {
    const failed = await start('awaits').catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('OPENAI_API_KEY') })
  })

  test('a failure that no one awaits does not end it, and neither does one that is read as chunks or as the result', async () => {
    expect(await start('ignores')).toMatchObject({
      stdout: 'chunks end with finish\nfailed MODEL_MISSING_KEY\n',
      stderr: '',
    })
  })
})
