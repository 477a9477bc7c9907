import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV3, LanguageModelV3Prompt, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { RunOptions, Tool } from '@argot/agent'
import type { ToolEffect } from '@argot/core/stream'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'

export type ScenarioName = 'long' | 'short'

/** The places at which a scenario can be stopped; what is given here is called there and may never come back. */
export interface Stops {
  /** Before the model says anything in a step; the first one is 1. */
  model?: (step: number) => void
  /** Before the model finishes a step, when what its calls read is there. */
  finish?: (step: number) => void
  /** A tool has begun, for a call that the model calls so. */
  tool?: (given: string) => void
}

export interface ScenarioOptions extends Stops {
  /** How many milliseconds the model takes for each part of its answer. */
  pace?: number
}

interface Scenario extends ScenarioOptions {
  folder: string
  /** The calls whose tools have begun and not ended. */
  running: Set<string>
}

export const documentName = 'chat.chatmd'
export const effectsName = 'effects.txt'
export const finalAnswer = 'All of it is done.'

/** The document of a scenario before its first run. */
export function documentText(payloads: 'inline' | 'external'): string {
  const config = payloads === 'inline' ? '<config show_tool_call/>\n' : ''
  return `${config}<tool name="look"/>\n<tool name="change"/>\n\n<system>\nBe brief.\n</system>\n\n<user>\nDo all of it.\n</user>\n`
}

/** A document, a model and two tools that do the same whenever and however often they are started again. */
export function scenarioOptions(folder: string, name: ScenarioName, options: ScenarioOptions = {}): RunOptions {
  const running = new Set<string>()
  const tool = (toolName: string, effect: ToolEffect): Tool => noted({ folder, running, ...options }, toolName, effect)
  return {
    model: scenarioModel({ folder, running, ...options }, scenarios[name]),
    tools: [tool('look', 'read'), tool('change', 'write')],
    approve: 'all',
    cwd: folder,
    env: {},
    configFolder: join(folder, 'no-such-config'),
  }
}

/** The steps of the model, each with the calls whose results it must not have seen. */
type Script = readonly { calls: readonly string[]; parts: readonly LanguageModelV3StreamPart[] }[]

const scenarios: Record<ScenarioName, Script> = {
  long: [
    {
      calls: ['r1', 'r2'],
      parts: [
        ...reasoning('Two things are to be read first.'),
        ...text('I look at both of them. '),
        ...call('r1', 'look', { a: 'one' }),
        ...call('r2', 'look', { a: 'two' }),
        ...text('They are being read while I write this.', '1'),
        finish('tool-calls'),
      ],
    },
    {
      calls: ['w1', 'r3', 'w2'],
      parts: [
        ...text('Now I change two things. '),
        ...call('w1', 'change', { a: 'one' }),
        ...call('r3', 'look', { a: 'three' }),
        ...call('w2', 'change', { a: 'two' }),
        finish('tool-calls'),
      ],
    },
    {
      calls: ['r4'],
      parts: [
        ...reasoning('Is it there?'),
        // The same input as that of an earlier call: what that one gave is not the answer.
        ...call('r4', 'look', { a: 'one' }),
        ...text('I look once more. ', '1'),
        finish('tool-calls'),
      ],
    },
    { calls: [], parts: [...reasoning('It is.'), ...text(finalAnswer), finish()] },
  ],
  short: [
    {
      calls: ['r1', 'w1'],
      parts: [
        ...text('Both. '),
        ...call('r1', 'look', { a: 'one' }),
        ...call('w1', 'change', { a: 'one' }),
        finish('tool-calls'),
      ],
    },
    { calls: [], parts: [...text(finalAnswer), finish()] },
  ],
}

/** The calls of a scenario, in the order of the model. */
export function callsOf(name: ScenarioName): string[] {
  return scenarios[name].flatMap(({ calls }) => calls)
}

function reasoning(said: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: said },
    { type: 'reasoning-end', id: 'r' },
  ]
}

function scenarioModel({ folder, running, pace, model, finish: stop }: Scenario, script: Script): LanguageModelV3 {
  let step = 0
  const before = async ({ type }: LanguageModelV3StreamPart): Promise<void> => {
    if (pace !== undefined) await sleep(pace)
    if (stop === undefined || type !== 'finish') return
    while (running.size > 0) await sleep(1)
    await sleep(1)
    stop(step)
  }
  return scriptedModel(
    [
      ({ prompt }) => {
        const answered = readResults(folder, prompt)
        const index = script.findIndex(({ calls }) => calls.length === 0 || !calls.every(id => answered.has(id)))
        if (script[index]!.calls.some(id => answered.has(id))) note(folder, 'problem half of a step is answered')
        step = index + 1
        model?.(step)
        return script[index]!.parts
      },
    ],
    { before },
  )
}

/** The calls of a prompt that have a result. That each has one, and only one, is what every model wants. */
function readResults(folder: string, prompt: LanguageModelV3Prompt): Set<string> {
  const calls: string[] = []
  const results: string[] = []
  for (const { content } of prompt) {
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool-call') calls.push(part.toolCallId)
      if (part.type === 'tool-result') results.push(part.toolCallId)
    }
  }
  const answered = new Set(results)
  const isWhole = calls.length === answered.size && results.length === answered.size
  if (!isWhole || !calls.every(id => answered.has(id))) note(folder, `problem ${JSON.stringify(prompt)}`)
  return answered
}

/** A tool whose every start and end is a line in the file of effects. */
function noted({ folder, running, tool }: Scenario, name: string, effect: ToolEffect): Tool {
  return {
    ...{ name, effect, description: `Does ${name}.` },
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    validate: input => ({ ok: true, input }),
    async execute(input, { toolCallId, idempotencyKey }) {
      note(folder, `start ${name} ${toolCallId} ${idempotencyKey}`)
      running.add(toolCallId)
      tool?.(
        `${effect === 'read' ? 'r' : 'w'}${Math.max(0, ['one', 'two', 'three'].indexOf((input as { a: string }).a)) + 1}`,
      )
      await sleep(3)
      note(folder, `end ${name} ${toolCallId} ${idempotencyKey}`)
      running.delete(toolCallId)
      return { output: `${name} gave ${JSON.stringify(input)}` }
    },
  }
}

function note(folder: string, line: string): void {
  appendFileSync(join(folder, effectsName), `${line}\n`)
}
