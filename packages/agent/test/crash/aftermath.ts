import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunOptions, type RunResult, runDocument } from '@argot/agent'
import { accumulate, type Chunk, isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { isSettled, parseLog } from '@argot/core/stream'
import { expect } from 'vitest'
import { documentFolder, follow, readMessages } from '../run/document-folder.ts'
import {
  callsOf,
  documentName,
  documentText,
  effectsName,
  finalAnswer,
  type ScenarioName,
  scenarioOptions,
} from './scenario.ts'

/** What a process that died has left behind. */
export interface Remains {
  source: string
  effects: Effect[]
  /** The chunks in the logs of the runs, in the order of the runs. */
  logs: Chunk[][]
}

export interface Effect {
  what: 'start' | 'end' | 'problem'
  tool: string
  call: string
  key: string
}

/** A folder of its own with the document of a scenario. */
export function scenarioFolder(payloads: 'inline' | 'external' = 'external'): Promise<string> {
  return documentFolder({ [documentName]: documentText(payloads) })
}

export function readRemains(folder: string): Remains {
  const runs = join(folder, '.chatmd', 'runs', documentName)
  const names = existsSync(runs) ? readdirSync(runs).sort() : []
  const effects = join(folder, effectsName)
  const lines = existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : []
  const logs = names.map(name => parseLog(readFileSync(join(runs, name), 'utf8')).lines.map(({ chunk }) => chunk))
  const given = givenIds(logs.flat())
  return {
    source: readFileSync(join(folder, documentName), 'utf8'),
    effects: lines.map(line => {
      const [what, tool = '', call = '', key = ''] = line.split(' ')
      return { what, tool, call: given.get(call) ?? call, key } as Effect
    }),
    logs,
  }
}

/** The ids that the model gave its calls, by those that they have: a step that is made again has calls with new ones. */
function givenIds(chunks: readonly Chunk[]): Map<string, string> {
  return new Map(
    chunks.flatMap(chunk => {
      const given = chunk.type === 'tool-input-start' ? chunk.providerMetadata?.argot?.callId : undefined
      return chunk.type === 'tool-input-start' && typeof given === 'string' ? [[chunk.toolCallId, given]] : []
    }),
  )
}

function givenId({ toolCallId, callProviderMetadata }: ToolInvocation): string {
  return String(callProviderMetadata?.argot?.callId ?? toolCallId)
}

/** Goes on with the document in this process, to the end. */
export async function resume(
  folder: string,
  scenario: ScenarioName,
  options: RunOptions = {},
): Promise<{ result: RunResult; chunks: Chunk[] }> {
  return follow(runDocument(documentName, { ...scenarioOptions(folder, scenario), ...options }))
}

/** True when the model had given its final answer before the process died. */
export function hasEnded({ logs }: Remains): boolean {
  const chunks = logs.findLast(log => log.length > 0) ?? []
  const step = chunks.slice(chunks.findLastIndex(({ type }) => type === 'start-step') + 1)
  return (
    step.some(({ type }) => type === 'data-argot-step') && !step.some(({ type }) => type === 'tool-input-available')
  )
}

/** Goes on with a document whose runs died, and checks what came of it. */
export async function resumeAndCheck(
  folder: string,
  scenario: ScenarioName,
  deaths: readonly Remains[],
): Promise<void> {
  const { result } = await resume(folder, scenario)
  if (hasEnded(deaths.at(-1)!)) {
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_NOTHING_TO_ANSWER' })
  } else {
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    expect(await readAnswer(folder)).toEqual(JSON.parse(JSON.stringify(result.message)))
  }
  await checkAftermath(folder, scenario, deaths)
}

/** The message of the assistant in the document, which must be the only one. */
export async function readAnswer(folder: string): Promise<Message> {
  const messages = await readMessages(join(folder, documentName))
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant'])
  return messages.at(-1)!
}

export function invocationsOf(message: Message): Map<string, ToolInvocation> {
  return new Map(message.parts.filter(isToolPart).map(({ toolInvocation: one }) => [givenId(one), one]))
}

/** How often tools have begun, by call. */
export function startsOf({ effects }: Remains): Map<string, number> {
  const starts = new Map<string, number>()
  for (const { what, call } of effects) if (what === 'start') starts.set(call, (starts.get(call) ?? 0) + 1)
  return starts
}

/**
 * Checks what the last run has made of a document whose earlier runs died, each with these remains: nothing that was
 * whole is lost or doubled, no tool ran again that had answered, none that changes something ran twice.
 */
export async function checkAftermath(
  folder: string,
  scenario: ScenarioName,
  deaths: readonly Remains[],
): Promise<void> {
  const end = readRemains(folder)
  const message = await readAnswer(folder)
  expect(end.effects.filter(({ what }) => what === 'problem')).toEqual([])
  expect(message).toMatchObject({ status: 'sent', finishReason: 'stop' })
  expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: finalAnswer, phase: 'final' })
  const calls = invocationsOf(message)
  expect([...calls.keys()]).toEqual(callsOf(scenario))
  checkKept(message, deaths, end)
  const starts = startsOf(end)
  for (const death of deaths) {
    for (const id of answeredIn(death)) expect(starts.get(id), `${id} ran again`).toBe(startsOf(death).get(id))
  }
  for (const [id, call] of calls) checkCall(call, starts.get(id) ?? 0, deaths)
  const changes = end.effects.filter(({ tool }) => tool === 'change')
  const keys = new Set(changes.map(({ call, key }) => `${call} ${key}`))
  expect(keys.size, 'the key of a call stays').toBe(new Set(changes.map(({ call }) => call)).size)
}

function checkCall(call: ToolInvocation, starts: number, deaths: readonly Remains[]): void {
  const { toolName, state } = call
  const toolCallId = givenId(call)
  if (toolName === 'look') {
    expect(state).toBe('output-available')
    expect(starts).toBeLessThanOrEqual(1 + deaths.length)
    return
  }
  expect(starts, `${toolCallId} ran twice`).toBeLessThanOrEqual(1)
  const wasRunning = deaths.some(death => isRunning(death, toolCallId))
  expect(state, toolCallId).toBe(wasRunning ? 'output-error' : 'output-available')
  if (!wasRunning) return expect(starts).toBe(1)
  expect(call).toMatchObject({ errorText: expect.stringContaining('effect is unknown') })
  expect(JSON.stringify(call)).toContain('TOOL_INTERRUPTED')
}

/** The log says that the tool of this call was started, and not what came of it. */
function isRunning({ logs }: Remains, id: string): boolean {
  const chunks = logs.flat()
  const given = givenIds(chunks)
  const start = chunks.findLastIndex(one => one.type === 'data-argot-call' && given.get(String(toolOf(one))) === id)
  return start >= 0 && !chunks.slice(start).some(one => settles(one) && given.get(one.toolCallId) === id)
}

function toolOf(chunk: Chunk): unknown {
  return 'data' in chunk ? (chunk.data as { toolCallId?: unknown }).toolCallId : undefined
}

function answeredIn({ logs }: Remains): string[] {
  const given = givenIds(logs.flat())
  return logs.flat().flatMap(chunk => (settles(chunk) ? [given.get(chunk.toolCallId) ?? chunk.toolCallId] : []))
}

function settles(chunk: Chunk): chunk is Extract<Chunk, { type: 'tool-output-available' | 'tool-output-error' }> {
  return chunk.type === 'tool-output-available' || chunk.type === 'tool-output-error'
}

/**
 * The message has what the run had said in whole whenever its process died, in this order, and in the end what its log
 * says. A step that the model had not finished does not count: it is made again.
 */
function checkKept(message: Message, deaths: readonly Remains[], end: Remains): void {
  const parts = describeParts(message)
  for (const { logs } of deaths) {
    for (const [index, [name, part]] of partsOf(logs.flat()).entries()) {
      expect(parts[index]?.[1], `${name} is kept`).toEqual(
        typeof part === 'string' ? part : expect.objectContaining(part),
      )
    }
  }
  expect(parts.map(([, part]) => part)).toEqual(partsOf(end.logs.flat()).map(([, part]) => part))
}

function partsOf(chunks: readonly Chunk[]): [string, string | object][] {
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  const last = chunks.findLastIndex(({ type }) => type.endsWith('-step') && !type.startsWith('data-'))
  const hasEnded = chunks.some(({ type }) => type === 'finish' || type === 'abort')
  const isMarked = chunks.slice(last + 1).some(({ type }) => type === 'data-argot-step')
  if (chunks[last]?.type === 'start-step' && !hasEnded && !isMarked) fold.push({ type: 'reset-step' })
  return fold.message === undefined ? [] : describeParts(fold.message)
}

/** Texts and calls as far as they are settled; an open call is named only. */
function describeParts({ parts }: Message): [string, string | object][] {
  return parts.flatMap((part, index): [string, string | object][] => {
    if (part.type === 'text' || part.type === 'reasoning') return [[`${index}`, `${part.type} ${part.text}`]]
    if (!isToolPart(part)) return []
    const call: ToolInvocation = part.toolInvocation
    const { input, state, output, errorText } = call
    const id = `call ${givenId(call)}`
    return [[id, isSettled(call) ? { id, input, state, output, errorText } : { id, input }]]
  })
}
