import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV3, LanguageModelV3Prompt, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { Tool } from '@argot/agent'
import type { ToolEffect } from '@argot/core/stream'
import { call, finish, scriptedModel, text } from '../../../agent/test/scripted-model.ts'

const effectsName = 'effects.txt'

/** The document `NAME.chatmd`: its first run looks, changes two things at once, and says that it is done. */
export function documentText(name: string): string {
  return `<tool name="look"/>\n<tool name="${changeTool(name)}"/>\n\n<user>\nDo all of ${name}.\n</user>\n`
}

/** Documents whose name begins with `q` use another tool, so that a policy can ask for theirs alone. */
function changeTool(name: string): string {
  return name.startsWith('q') ? 'change_asked' : 'change'
}

/** What the model answers to a message that comes later. */
export function answerTo(message: string): string {
  return `You said ${message} and this is the answer, word for word.`
}

/** A line of the file of effects: a step that the model was asked for, or a tool that began or ended. */
export interface Effect {
  what: 'model' | 'start' | 'end'
  /** `DOCUMENT STEP` for the model, the name of the call for a tool. */
  which: string
}

export function readEffects(folder: string): Effect[] {
  const text = readFileSync(join(folder, effectsName), { encoding: 'utf8', flag: 'a+' })
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [what, ...which] = line.split(' ')
      return { what: what as Effect['what'], which: which.join(' ') }
    })
}

/** Places at which a server can die: what is given here is called there. */
export interface Places {
  /** Before the model gives its N-th part. */
  part?: (number: number) => void
  /** In a tool that has begun. */
  tool?: (toolName: string) => void
}

/** A model that says the same whenever and however often it is asked for a step. */
export function scenarioModel(folder: string, pace: number, { part }: Places = {}): LanguageModelV3 {
  let parts = 0
  return scriptedModel([({ prompt }) => stepOf(folder, prompt)], {
    before: async () => {
      await sleep(pace)
      part?.(++parts)
    },
  })
}

function stepOf(folder: string, prompt: LanguageModelV3Prompt): readonly LanguageModelV3StreamPart[] {
  const said = lastOfUser(prompt)
  const name = /^Do all of (\w+)\.$/.exec(said.trim())?.[1]
  if (name === undefined) return [...text(answerTo(said.trim())), finish()]
  const answered = answeredCalls(prompt)
  const isChanged = answered.has(`${name}-w1`) && answered.has(`${name}-w2`)
  const step = isChanged ? 3 : answered.has(`${name}-r1`) ? 2 : 1
  note(folder, `model ${name} ${step}`)
  if (step === 1) {
    return [...text('I look at it first. '), ...call(`${name}-r1`, 'look', { a: name }), finish('tool-calls')]
  }
  if (step === 2) {
    return [
      ...text('Now I change it. '),
      ...call(`${name}-w1`, changeTool(name), { a: name }),
      ...call(`${name}-w2`, changeTool(name), { a: `more ${name}` }),
      finish('tool-calls'),
    ]
  }
  return [...text(`All of ${name} is done, and this is the end.`), finish()]
}

function lastOfUser(prompt: LanguageModelV3Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  const content = typeof last?.content === 'string' ? [] : (last?.content ?? [])
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function answeredCalls(prompt: LanguageModelV3Prompt): Set<string> {
  const ids = prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap(part => (part.type === 'tool-result' ? [part.toolCallId] : [])),
  )
  return new Set(ids)
}

/** The id that the model gives a call, whatever number the run gives it: a step that is made again has other numbers. */
export function callName(toolName: string, input: unknown): string {
  const { a } = input as { a: string }
  if (toolName === 'look') return `${a}-r1`
  return a.startsWith('more ') ? `${a.slice('more '.length)}-w2` : `${a}-w1`
}

/** Tools whose every start and end is a line in the file of effects. */
export function scenarioTools(folder: string, { tool }: Places = {}): Tool[] {
  return [
    noted(folder, 'look', 'read', tool),
    noted(folder, 'change', 'write', tool),
    noted(folder, 'change_asked', 'write', tool),
  ]
}

function noted(folder: string, name: string, effect: ToolEffect, begun: Places['tool']): Tool {
  return {
    name,
    effect,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    validate: input => ({ ok: true, input }),
    async execute(input) {
      note(folder, `start ${callName(name, input)}`)
      begun?.(name)
      await sleep(5)
      note(folder, `end ${callName(name, input)}`)
      return { output: `${name} gave ${JSON.stringify(input)}` }
    },
  }
}

function note(folder: string, line: string): void {
  appendFileSync(join(folder, effectsName), `${line}\n`)
}
