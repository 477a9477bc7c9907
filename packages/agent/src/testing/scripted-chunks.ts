import type { Chunk } from '@argot/core'
import { callMark, mark, stepMark } from '../store/marks.ts'

export const start: Chunk = { type: 'start', messageId: 'msg-1' }
export const startStep: Chunk = { type: 'start-step' }
export const finishStep: Chunk = { type: 'finish-step' }
export const modelDone: Chunk = mark(stepMark, { step: 1, finishReason: 'stop' })

export function text(id: string, ...deltas: readonly string[]): Chunk[] {
  return [
    { type: 'text-start', id },
    ...deltas.map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
}

function call(toolCallId: string, toolName: string, input: unknown): Chunk[] {
  return [
    { type: 'tool-input-start', toolCallId, toolName },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName, input },
  ]
}

export function finish(finishReason: 'stop' | 'tool-calls' = 'stop'): Chunk {
  return { type: 'finish', messageId: 'msg-1', finishReason }
}

const command = { command: 'rm -r x' }
const question = { approvalId: 'q', toolCallId: 'c' }

/** Texts, calls that read and that change something, a question, a step that is reset, and an answer. */
export const wholeRun: readonly Chunk[] = [
  start,
  startStep,
  ...text('t0', 'I look. ', 'RAW| <assistant> |RAW', '\n<tool_call>'),
  ...call('a', 'read_file', { path: 'ä.md', list: [1, null, 'x'.repeat(120)] }),
  { type: 'tool-output-available', toolCallId: 'a', output: 'line\r\n|RAW 🙂\r' },
  ...call('b', 'write_file', { path: 'b' }),
  ...call('c', 'shell', command),
  modelDone,
  { type: 'tool-approval-request', ...question, toolName: 'shell', input: command },
  mark(callMark, { toolCallId: 'b' }),
  { type: 'tool-output-available', toolCallId: 'b', output: { ok: true } },
  { type: 'tool-approval-response', ...question, approved: true },
  mark(callMark, { toolCallId: 'c' }),
  { type: 'tool-output-error', toolCallId: 'c', errorText: 'exit 1 <user>' },
  finishStep,
  startStep,
  ...text('t0', 'never ', 'kept'),
  { type: 'reset-step' },
  startStep,
  ...text('f', 'Done — 完了.\n'),
  modelDone,
  finishStep,
  finish(),
]

export const parkedRun: readonly Chunk[] = [
  start,
  startStep,
  ...call('c', 'shell', command),
  modelDone,
  { type: 'tool-approval-request', ...question, toolName: 'shell', input: command },
  finishStep,
  finish('tool-calls'),
]

/** The chunks that the next process writes once the question is answered. */
export const answeredRun: readonly Chunk[] = [
  start,
  { type: 'tool-approval-response', ...question, approved: false, reason: 'No.' },
  { type: 'tool-output-denied', toolCallId: 'c', reason: 'No.' },
  startStep,
  ...text('f', 'Well.'),
  modelDone,
  finishStep,
  finish(),
]

export const lastStep: readonly Chunk[] = [start, startStep, ...text('f', 'The end.'), modelDone, finishStep, finish()]

function user(messageId: string, content: string): Chunk {
  return { type: 'user-message', messageId, parts: [{ type: 'text', id: '0', text: content, state: 'done' }] }
}

export const steeredRun: readonly Chunk[] = [
  start,
  startStep,
  ...text('t', 'One — 一.'),
  modelDone,
  finishStep,
  user('u1', 'And <user> two?'),
  user('u2', '🙂'),
  { type: 'start', messageId: 'msg-1-2' },
  startStep,
  ...text('f', 'Two.'),
  modelDone,
  finishStep,
  { type: 'finish', messageId: 'msg-1-2', finishReason: 'stop' },
]
