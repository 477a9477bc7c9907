import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { type Ask, type RunOptions, runDocument, type Tool } from '@argot/agent'
import { type LogLine, parseLog, type ToolEffect } from '@argot/core/stream'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { filesBelow } from './document-folder.ts'

/** A document and the runs on it, one after the other. */
export interface PlayedScenario {
  inline?: boolean
  runs: readonly PlayedRun[]
}

export interface PlayedRun extends Pick<RunOptions, 'approve' | 'ask' | 'input' | 'maxSteps' | 'output' | 'syntax'> {
  steps: readonly ScriptedStep[]
  /** The run is stopped before the model gives out its first part of this type. */
  stopBefore?: LanguageModelV3StreamPart['type']
}

/** What runs left behind: how they ended, the documents and their files, and the lines of the logs. */
export interface Played {
  results: { status: string; code?: string; text: string }[]
  files: Record<string, string>
  logs: Record<string, LogLine[]>
}

const documentName = 'chat.chatmd'
const yes: Ask = async () => ({ approved: true, by: 'ann' })
const no: Ask = async () => ({ approved: false, reason: 'Not today.' })
const other: Ask = async () => ({ approved: true, input: { a: 'other' } })
const later: Ask = async () => undefined
const change: ScriptedStep = [...text('I change it. '), ...call('w1', 'change', { a: 'x' }), finish('tool-calls')]
const look: ScriptedStep = [...call('r1', 'look', { a: 'x' }), finish('tool-calls')]

/** A scenario for everything that a run can come to. */
export const playedScenarios: Readonly<Record<string, PlayedScenario>> = {
  'text-only': { runs: [{ steps: ['Nothing to do — 完了.'] }] },
  reasoning: {
    runs: [
      {
        steps: [
          [...think('Hm.', 'a'), ...call('r1', 'look', { a: 'x' }), finish('tool-calls')],
          [...think('So.', 'b'), ...text('Done.'), finish()],
        ],
      },
    ],
  },
  native: { inline: true, runs: [{ steps: [look, 'Done.'] }] },
  xml: {
    runs: [{ syntax: 'xml', steps: ['I look.\n\n<tool:look>\n<param:a>x</param:a>\n</tool:look>\n', 'Done.'] }],
  },
  caret: { runs: [{ syntax: 'caret', steps: ['I look.\n\n^^^look\na: x\n^^^\n', 'Done.'] }] },
  callout: { inline: true, runs: [{ syntax: 'callout', steps: ['I look.\n\n> [!tool] look\n> a: x\n', 'Done.'] }] },
  'parallel-reads': {
    runs: [
      {
        steps: [
          [
            ...call('r1', 'look', { a: 'x' }),
            ...call('r2', 'look', { a: 'y' }),
            ...text('Both.'),
            finish('tool-calls'),
          ],
          'Done.',
        ],
      },
    ],
  },
  'write-after-read': {
    runs: [
      {
        ask: yes,
        steps: [
          [...call('r1', 'look', { a: 'x' }), ...call('w1', 'change', { a: 'x' }), finish('tool-calls')],
          'Done.',
        ],
      },
    ],
  },
  'two-writes': {
    runs: [
      {
        approve: 'all',
        steps: [
          [...call('w1', 'change', { a: 'x' }), ...call('w2', 'change', { a: 'y' }), finish('tool-calls')],
          'Done.',
        ],
      },
    ],
  },
  'tool-error': {
    inline: true,
    runs: [{ steps: [[...call('r1', 'look', { a: 'broken' }), finish('tool-calls')], 'I see.'] }],
  },
  'unknown-tool': { runs: [{ steps: [[...call('r1', 'nope', { a: 'x' }), finish('tool-calls')], 'I see.'] }] },
  'bad-input': { runs: [{ steps: [[...call('r1', 'look', { b: 1 }), finish('tool-calls')], 'I see.'] }] },
  'input-not-json': {
    runs: [
      {
        steps: [
          [{ type: 'tool-call', toolCallId: 'r1', toolName: 'look', input: '{"a":' }, finish('tool-calls')],
          'I see.',
        ],
      },
    ],
  },
  denied: { inline: true, runs: [{ ask: no, steps: [change, 'As you wish.'] }] },
  'edited-input': { runs: [{ ask: other, steps: [change, 'Done.'] }] },
  parked: {
    runs: [
      { ask: later, steps: [change] },
      { ask: yes, steps: ['Done.'] },
    ],
  },
  'stopped-in-text': {
    runs: [{ steps: [look, [...text('One two three.'), finish()]], stopBefore: 'text-end' }, { steps: ['Done.'] }],
  },
  'stopped-in-tool': {
    runs: [
      {
        ask: yes,
        steps: [
          [
            ...call('r1', 'look', { a: 'x' }),
            ...call('w1', 'change', { a: 'stop' }),
            ...call('w2', 'change', { a: 'y' }),
            finish('tool-calls'),
          ],
        ],
      },
      { steps: ['Done.'] },
    ],
  },
  'max-steps': { runs: [{ steps: [look], maxSteps: 1 }, { steps: ['Done.'] }] },
  'model-error': {
    runs: [{ steps: [[...text('One two.'), { type: 'error', error: new Error('The model is gone.') }]] }],
  },
  'more-input': {
    runs: [
      { ask: later, steps: [change] },
      { input: 'Leave it.', steps: ['As you wish.'] },
    ],
  },
  'other-file': { runs: [{ output: 'out.chatmd', steps: [look, 'Done.'] }] },
}

/**
 * Plays the runs of a scenario in a folder that has nothing in it but the document. Time passes when the model is asked
 * and while a tool runs, and at no other moment, so that it does not depend on how often somebody looks at the clock.
 */
export async function playScenario(folder: string, { runs }: PlayedScenario): Promise<Played> {
  const clock = { time: Date.UTC(2030, 0, 1) }
  const results: Played['results'] = []
  for (const [index, run] of runs.entries()) results.push(await playRun(folder, run, `run-${index + 1}`, clock))
  const files: Played['files'] = {}
  const logs: Played['logs'] = {}
  for (const name of (await filesBelow(folder)).sort()) {
    const content = readFileSync(join(folder, name), 'utf8')
    if (name.startsWith('.chatmd/runs/')) logs[name] = parseLog(content).lines
    else files[name] = content
  }
  return { results, files, logs }
}

/** The document of a scenario before its first run. */
export function scenarioDocument({ inline }: PlayedScenario): Record<string, string> {
  const config = inline === true ? '<config show_tool_call/>\n' : ''
  const source = `${config}<tool name="look"/>\n<tool name="change"/>\n\n<system>\nBe brief.\n</system>\n\n<user>\nDo it — naïve 🙂.\n</user>\n`
  return { [documentName]: source }
}

async function playRun(
  folder: string,
  { steps, stopBefore, ...options }: PlayedRun,
  id: string,
  clock: { time: number },
): Promise<Played['results'][number]> {
  const stop = new AbortController()
  let running = 0
  const model = scriptedModel(
    steps.map(step => options => {
      clock.time += 1000
      return typeof step === 'function' ? step(options) : step
    }),
    {
      // Whatever came of the parts before is over when the next one comes.
      async before({ type }) {
        for (let turn = 0; running > 0 || turn < 5; turn++) await new Promise(setImmediate)
        if (type === stopBefore) stop.abort()
      },
    },
  )
  const work = async (input: unknown): Promise<unknown> => {
    running++
    await new Promise(setImmediate)
    if (JSON.stringify(input).includes('stop')) stop.abort()
    clock.time += 50
    running--
    if (JSON.stringify(input).includes('broken')) throw new Error('It broke.')
    return `found ${JSON.stringify(input)}`
  }
  const { result } = runDocument(documentName, {
    ...{ approve: 'ask', ...options, id, model, cwd: folder, env: {}, now: () => clock.time, signal: stop.signal },
    configFolder: join(folder, 'no-such-config'),
    tools: [playedTool('look', 'read', work), playedTool('change', 'write', work)],
  })
  const { message: _, ...ended } = await result
  const { status, text } = ended
  return ended.status === 'failed' ? { status, code: ended.code, text } : { status, text }
}

function playedTool(name: string, effect: ToolEffect, work: (input: unknown) => Promise<unknown>): Tool {
  return {
    ...{ name, effect, description: `Does ${name}.` },
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    validate: input =>
      typeof (input as { a?: unknown }).a === 'string'
        ? { ok: true, input }
        : { ok: false, problem: '`a` is missing.' },
    execute: async input => ({ output: await work(input) }),
  }
}

function think(said: string, signature: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: said },
    { type: 'reasoning-end', id: 'r', providerMetadata: { scripted: { signature } } },
  ]
}
