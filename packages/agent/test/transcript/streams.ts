import type { Chunk } from '@argot/core'

/** The chunks of a stream as a loop pushes them: with a mark where the model is done, and one where a tool starts. */
export function asRun(chunks: readonly Chunk[]): Chunk[] {
  const run: Chunk[] = []
  for (let start = 0; start < chunks.length; ) {
    let end = chunks.findIndex((chunk, index) => index >= start && chunk.type === 'finish-step')
    end = end < 0 ? chunks.length : end + 1
    run.push(...markStep(chunks.slice(start, end)))
    start = end
  }
  return run
}

function markStep(chunks: readonly Chunk[]): Chunk[] {
  const stopped = chunks.some(chunk => chunk.type === 'error' || JSON.stringify(chunk).includes('"settledBy"'))
  if (stopped || !chunks.some(chunk => chunk.type === 'start-step')) return [...chunks]
  const answered = new Set<string>()
  let last = 0
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.type === 'tool-approval-response') answered.add(chunk.toolCallId)
    if (isOfModel(chunk) && !('toolCallId' in chunk && answered.has(chunk.toolCallId))) last = index
  }
  const marked: Chunk[] = []
  const started = new Set<string>()
  for (const [index, chunk] of chunks.entries()) {
    if (index > last && chunk.type.startsWith('tool-output-') && 'toolCallId' in chunk) {
      if (!started.has(chunk.toolCallId)) marked.push(startOf(chunk.toolCallId))
      started.add(chunk.toolCallId)
    }
    marked.push(chunk)
    if (index === last) marked.push(modelDone)
  }
  return marked
}

function isOfModel({ type }: Chunk): boolean {
  return /^(start-step|text-|reasoning-|tool-input-|source-|file|data-)/.test(type)
}

export const modelDone: Chunk = { type: 'data-argot-step', transient: true, data: { step: 1, finishReason: 'stop' } }

export function startOf(toolCallId: string): Chunk {
  return { type: 'data-argot-call', transient: true, data: { toolCallId } }
}

export function text(id: string, ...deltas: string[]): Chunk[] {
  return [
    { type: 'text-start', id },
    ...deltas.map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
}

export function call(toolCallId: string, toolName: string, input: unknown): Chunk[] {
  return [
    { type: 'tool-input-start', toolCallId, toolName },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName, input },
  ]
}

export function output(toolCallId: string, value: unknown): Chunk {
  return { type: 'tool-output-available', toolCallId, output: value }
}

export const start: Chunk = { type: 'start', messageId: 'msg-1' }
export const startStep: Chunk = { type: 'start-step' }
export const finishStep: Chunk = { type: 'finish-step' }

export function finish(finishReason: 'stop' | 'tool-calls' | 'error' = 'stop'): Chunk {
  return { type: 'finish', messageId: 'msg-1', finishReason, messageMetadata: { usage: { total: 7 } } }
}

const long = { signature: 'sïg '.repeat(700) }

/** Everything that a run can say, with the text that is hardest to write down. */
const rich: Chunk[] = [
  start,
  startStep,
  { type: 'reasoning-start', id: 'r0' },
  { type: 'reasoning-delta', id: 'r0', delta: 'Überlegen 🙂 <summary>' },
  { type: 'reasoning-end', id: 'r0', providerMetadata: { anthropic: long } },
  ...text('t0', 'I look. ', 'RAW| <assistant> |RAW', '\n<tool_call>'),
  ...call('a', 'read_file', { path: 'ä.md', nested: { '__proto__ ': '|RAW', list: [1, null, 'x'.repeat(120)] } }),
  output('a', 'line\r\n|RAW 🙂\r'),
  ...call('b', 'write_file', { path: 'b' }),
  ...call('c', 'shell', { command: 'rm -r x' }),
  { type: 'source-url', sourceId: 's1', url: 'https://a.example/?q=<user>' },
  { type: 'text-start', id: 't1' },
  { type: 'text-delta', id: 't1', delta: 'Let me see.' },
  modelDone,
  { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'c', toolName: 'shell', input: { command: 'rm -r x' } },
  startOf('b'),
  { type: 'tool-output-available', toolCallId: 'b', output: 'half', preliminary: true },
  {
    type: 'tool-output-available',
    toolCallId: 'b',
    output: { ok: true },
    providerMetadata: { argot: { details: { diff: '+'.repeat(3000) } } },
  },
  { type: 'tool-approval-response', approvalId: 'q', toolCallId: 'c', approved: true, input: { command: 'ls' } },
  { type: 'tool-input-available', toolCallId: 'c', toolName: 'shell', input: { command: 'ls' } },
  startOf('c'),
  { type: 'tool-output-error', toolCallId: 'c', errorText: 'exit 1 <user>' },
  { type: 'text-end', id: 't1' },
  finishStep,
  startStep,
  ...text('t0', 'never ', 'seen'),
  ...call('d', 'read_file', { path: 'gone' }),
  output('d', 'gone too'),
  { type: 'reset-step' },
  startStep,
  ...text('t0', 'The same id again.'),
  ...call('d', 'read_file', { path: 'kept' }),
  modelDone,
  output('d', { list: [1, 2, 3] }),
  finishStep,
  startStep,
  { type: 'text-start', id: 'f' },
  { type: 'text-delta', id: 'f', delta: 'Done — 完了.\n' },
  modelDone,
  { type: 'text-end', id: 'f', providerMetadata: { argot: { phase: 'final' } } },
  finishStep,
  finish(),
]

/** The model fails in the middle of its second step. */
const failed: Chunk[] = [
  start,
  startStep,
  ...call('a', 'read_file', { path: 'a' }),
  modelDone,
  output('a', 1),
  finishStep,
  startStep,
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'And th' },
  { type: 'text-end', id: 't', providerMetadata: { argot: { state: 'aborted' } } },
  { type: 'error', errorText: 'The model is gone.' },
  finishStep,
  finish('error'),
]

/** Stopped while a tool works. */
const stopped: Chunk[] = [
  start,
  startStep,
  ...call('a', 'shell', { command: 'sleep' }),
  ...call('b', 'shell', { command: 'sleep' }),
  modelDone,
  startOf('a'),
  {
    type: 'tool-output-error',
    toolCallId: 'a',
    errorText: 'Stopped.',
    providerMetadata: { argot: { settledBy: 'abort' } },
  },
  {
    type: 'tool-output-error',
    toolCallId: 'b',
    errorText: 'Stopped.',
    providerMetadata: { argot: { settledBy: 'abort' } },
  },
  finishStep,
  { type: 'abort', messageId: 'msg-1', reason: 'The user pressed stop.' },
]

/** Two questions are open when the run stops for them, one call has an answer. */
export const parked: Chunk[] = [
  start,
  startStep,
  ...text('t0', 'May I? '),
  ...call('a', 'shell', { command: 'rm a' }),
  ...call('b', 'read_file', { path: 'b' }),
  ...call('c', 'shell', { command: 'rm c' }),
  modelDone,
  output('b', 'text'),
  { type: 'tool-approval-request', approvalId: 'qa', toolCallId: 'a', toolName: 'shell', input: { command: 'rm a' } },
  { type: 'tool-approval-request', approvalId: 'qc', toolCallId: 'c', toolName: 'shell', input: { command: 'rm c' } },
  finishStep,
  finish('tool-calls'),
]

/** The next run of the same message: the questions are answered, and the model goes on. */
export const resumed: Chunk[] = [
  start,
  ...[...call('a', 'shell', { command: 'rm a' }), ...call('c', 'shell', { command: 'rm c' })].filter(
    chunk => chunk.type !== 'tool-input-delta',
  ),
  { type: 'tool-approval-request', approvalId: 'qa', toolCallId: 'a', toolName: 'shell', input: { command: 'rm a' } },
  { type: 'tool-approval-request', approvalId: 'qc', toolCallId: 'c', toolName: 'shell', input: { command: 'rm c' } },
  { type: 'tool-approval-response', approvalId: 'qa', toolCallId: 'a', approved: true, input: { command: 'ls' } },
  { type: 'tool-input-available', toolCallId: 'a', toolName: 'shell', input: { command: 'ls' } },
  startOf('a'),
  output('a', 'listed'),
  { type: 'tool-approval-response', approvalId: 'qc', toolCallId: 'c', approved: false, reason: 'No.' },
  { type: 'tool-output-denied', toolCallId: 'c', reason: 'No.' },
  startStep,
  ...call('d', 'read_file', { path: 'd' }),
  modelDone,
  output('d', 'dd'),
  finishStep,
  startStep,
  ...text('f', 'Well.'),
  modelDone,
  finishStep,
  finish(),
]

/** Streams made for these tests; `fixture-streams.ts` adds those of the fixtures. */
export const ownStreams: [string, Chunk[]][] = [
  ['rich', rich],
  ['failed', failed],
  ['stopped', stopped],
  ['parked', parked],
]
