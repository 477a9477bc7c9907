import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { Ask } from '@argot/agent'
import { finish, type ScriptedStep } from '../scripted-model.ts'

/** A document and its runs, of which each but the last dies or is parked. */
export interface OldScenario {
  inline?: boolean
  runs: readonly OldRun[]
}

export interface OldRun {
  steps: readonly ScriptedStep[]
  ask?: Ask
  input?: string
  /** The run dies after the first operation that writes this. */
  until?: string
}

const yes: Ask = async () => ({ approved: true })
const later: Ask = async () => undefined
const other: Ask = async () => ({ approved: true, input: { a: 'other' } })
const done: ScriptedStep = [...say('Done.'), finish()]

/** What the corpus is made of. */
export const oldScenarios: Readonly<Record<string, OldScenario>> = {
  'two-steps': {
    runs: [{ ask: yes, steps: [lookAndChange(), [...use('r2', 'look', 'b'), finish('tool-calls')], done] }],
  },
  'two-steps-inline': { inline: true, runs: [{ ask: yes, steps: [lookAndChange(), done] }] },
  'reset-step': {
    runs: [
      { steps: [[...use('r1', 'look', 'a'), ...say('So.', '1'), finish('tool-calls')]], until: 'look gave' },
      { steps: [[...use('r1', 'look', 'a'), finish('tool-calls')], done] },
    ],
  },
  interrupted: {
    runs: [
      { ask: yes, steps: [lookAndChange()], until: 'data-argot-call' },
      { ask: yes, steps: [done] },
    ],
  },
  parked: {
    runs: [
      { ask: later, steps: [lookAndChange()] },
      { ask: yes, steps: [done], until: 'data-argot-call' },
      { ask: yes, steps: [done] },
    ],
  },
  'edited-input': {
    inline: true,
    runs: [
      { ask: other, steps: [[...use('w1', 'change', 'a'), finish('tool-calls')]], until: 'data-argot-call' },
      { ask: yes, steps: [done] },
    ],
  },
  'edited-input-not-started': {
    runs: [
      { ask: other, steps: [[...use('w1', 'change', 'a'), finish('tool-calls')]], until: 'tool-approval-response' },
      { ask: yes, steps: [done] },
    ],
  },
  'two-crashes': {
    runs: [
      {
        ask: yes,
        steps: [lookAndChange(), [...use('r2', 'look', 'b'), ...say('So.'), finish()]],
        until: 'look gave {\\"a\\":\\"b\\"}',
      },
      {
        ask: yes,
        steps: [[...use('r2', 'look', 'b'), ...use('w2', 'change', 'b'), finish('tool-calls')]],
        until: 'data-argot-call',
      },
      { ask: yes, steps: [done] },
    ],
  },
  'parallel-calls': {
    runs: [
      {
        ask: yes,
        steps: [
          [
            ...[...use('r1', 'look', 'a'), ...use('w1', 'change', 'a')],
            ...[...use('r2', 'look', 'b'), ...use('w2', 'change', 'b'), finish('tool-calls')],
          ],
          done,
        ],
      },
    ],
  },
  reasoning: {
    runs: [
      {
        steps: [
          [...think('Hm.', 'short'), ...use('r1', 'look', 'ä🙂', { scripted: { itemId: 'i1' } }), finish('tool-calls')],
          [...think('So.', 'long '.repeat(500)), ...say('Done — 完了.'), finish()],
        ],
      },
    ],
  },
  'same-ids': {
    runs: [
      {
        ask: yes,
        steps: [
          [...use('c', 'change', 'a'), ...use('c', 'change', 'b'), finish('tool-calls')],
          [...use('c', 'change', 'c'), finish('tool-calls')],
          done,
        ],
      },
    ],
  },
  'more-input': {
    runs: [
      { ask: later, steps: [[...use('w1', 'change', 'a'), finish('tool-calls')]] },
      { steps: [done], input: 'Leave it.' },
    ],
  },
}

function lookAndChange(): ScriptedStep {
  return [...say('I look.'), ...use('r1', 'look', 'a'), ...use('w1', 'change', 'a'), finish('tool-calls')]
}

function say(said: string, id = '0'): LanguageModelV3StreamPart[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: said },
    { type: 'text-end', id },
  ]
}

function think(said: string, signature: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: said },
    { type: 'reasoning-end', id: 'r', providerMetadata: { scripted: { signature } } },
  ]
}

function use(
  toolCallId: string,
  toolName: string,
  a: string,
  providerMetadata: { scripted?: { itemId: string } } = {},
): LanguageModelV3StreamPart[] {
  const input = JSON.stringify({ a })
  const metadata = providerMetadata.scripted === undefined ? {} : { providerMetadata }
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input, ...metadata } as LanguageModelV3StreamPart,
  ]
}
