import { rm } from 'node:fs/promises'
import { builtinTasks, examplePattern, type Task } from '@argot/agent/internal'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import { onTestFinished } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import type { ModelServer, RecordedRequest, ScriptedReply } from '../../agent/test/model/servers/model-server.ts'
import { folderWith } from './argot.ts'

/** What a model that knows the task does next: calls, or its answer. */
export type Move = { calls: readonly MovedCall[] } | { text: string }

export interface MovedCall {
  tool: string
  input: unknown
}

/** What is asked of the model. */
export interface Question {
  task: Task
  /** How many replies it has given already. */
  turn: number
  /** Undefined for native calls. */
  syntax: Syntax | undefined
  request: RecordedRequest
}

/** A server whose model answers the tasks as `reply` says, in the syntax that the request teaches. */
export async function serveTrial(
  tasks: readonly Task[],
  reply: (question: Question) => ScriptedReply,
): Promise<ModelServer> {
  const server = await startCompatible(request => reply(readQuestion(tasks, request)))
  onTestFinished(() => server.close())
  return server
}

interface Sent {
  role: string
  content: unknown
}

function readQuestion(tasks: readonly Task[], request: RecordedRequest): Question {
  const messages = request.body.messages as Sent[]
  const texts = messages.map(({ role, content }) => ({ role, text: textIn(content) }))
  const task = tasks.find(({ prompt }) => texts.some(({ role, text }) => role === 'user' && text.includes(prompt)))
  if (task === undefined) throw new Error('No task has this prompt.')
  const system = texts.find(({ role }) => role === 'system')?.text ?? ''
  const turn = texts.filter(({ role }) => role === 'assistant').length
  const syntax = findSyntax(task, system)
  if (syntax === undefined && request.body.tools === undefined) throw new Error('The request teaches no syntax.')
  return { task, turn, syntax, request }
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map(part => part.text ?? '').join('') : ''
}

/** The lessons of each task; to write them takes longer than to answer. */
const lessons = new WeakMap<Task, readonly (readonly [Syntax, string])[]>()

/** The syntax whose lesson is in the system message. */
function findSyntax(task: Task, system: string): Syntax | undefined {
  let known = lessons.get(task)
  if (known === undefined) {
    const taught = syntaxes.names().map(name => syntaxes.get(name))
    known = taught.filter(one => one.kind !== 'native').map(one => [one, one.describe(task.tools).trim()])
    lessons.set(task, known)
  }
  // Some syntaxes have the same lesson, and then write the same.
  return known.find(([, lesson]) => system.includes(lesson))?.[0]
}

/** The reply that makes this move. */
export function toReply(move: Move, { task, syntax }: Pick<Question, 'task' | 'syntax'>): ScriptedReply {
  const usage = { input: 100, output: 10 }
  if ('text' in move) return { text: move.text, usage }
  if (syntax === undefined) return { calls: move.calls.map(({ tool, input }) => ({ name: tool, input })), usage }
  return { text: move.calls.map(call => writeCall(call, task, syntax)).join('\n'), usage }
}

export function writeCall({ tool, input }: MovedCall, task: Task, syntax: Syntax): string {
  const definition = task.tools.find(({ name }) => name === tool)
  return syntax.format({ toolCallId: 'call_1', toolName: tool, input }, definition)
}

/** What a perfect model does: the next expected call, or the answer. */
export function rightMove({ calls, answer }: Task, turn: number): Move {
  const call = calls[turn]
  if (call !== undefined) return { calls: [{ tool: call.tool, input: examplePattern(call.input) }] }
  return { text: `Here it is: ${answer.map(texts => texts[0]).join(', ')}.` }
}

/** A model that makes no mistake. */
export const perfect = (question: Question): ScriptedReply => toReply(rightMove(question.task, question.turn), question)

export const tasksOfArgot: readonly Task[] = builtinTasks()

export const MODEL = ['--model', 'openai-compatible:test'] as const

/** A task of a user. */
export const lamp = {
  category: 'lamps',
  prompt: 'Set the lamp to 40.',
  tools: [
    {
      name: 'set_lamp',
      description: 'Sets the lamp.',
      inputSchema: { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] },
    },
  ],
  calls: [{ tool: 'set_lamp', input: { level: 40 }, output: 'The lamp is at 40.' }],
  answer: ['40'],
}

/** One that needs no call. */
export const talk = { ...lamp, prompt: 'Say hello.', calls: [], answer: ['hello'] }

/** A folder with these tasks, which is also the home of the user. */
export async function tasksIn(files: Record<string, unknown>): Promise<string> {
  const texts = Object.entries(files).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const folder = await folderWith(Object.fromEntries(texts))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
