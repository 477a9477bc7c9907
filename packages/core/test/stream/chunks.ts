import { type Accumulator, accumulate, type Chunk, type Message, type ToolInvocation, toolCalls } from '@argot/core'
import type { AccumulateOptions } from '@argot/core/stream/internal'

/** Short ways to write the chunks of a test. */
export const start = (messageId = 'm1'): Chunk => ({ type: 'start', messageId })
export const finish = (finishReason?: 'stop' | 'tool-calls' | 'length'): Chunk => ({
  type: 'finish',
  messageId: 'm1',
  ...(finishReason && { finishReason }),
})
export const startStep: Chunk = { type: 'start-step' }
export const finishStep: Chunk = { type: 'finish-step' }
export const text = (id: string, ...deltas: string[]): Chunk[] => [
  { type: 'text-start', id },
  ...deltas.map((delta): Chunk => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
]
export const inputStart = (toolCallId = 'c1', toolName = 'search'): Chunk => ({
  type: 'tool-input-start',
  toolCallId,
  toolName,
})
export const inputDelta = (inputTextDelta: string, toolCallId = 'c1'): Chunk => ({
  type: 'tool-input-delta',
  toolCallId,
  inputTextDelta,
})
export const available = (input: unknown = { q: 'cats' }, toolCallId = 'c1', toolName = 'search'): Chunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName,
  input,
})
export const output = (value: unknown = 'ok', toolCallId = 'c1'): Chunk => ({
  type: 'tool-output-available',
  toolCallId,
  output: value,
})
export const preview = (value: unknown, toolCallId = 'c1'): Chunk => ({
  type: 'tool-output-available',
  toolCallId,
  output: value,
  preliminary: true,
})
export const failure = (errorText = 'broken', toolCallId = 'c1'): Chunk => ({
  type: 'tool-output-error',
  toolCallId,
  errorText,
})
export const denied = (reason?: string, toolCallId = 'c1'): Chunk => ({
  type: 'tool-output-denied',
  toolCallId,
  ...(reason !== undefined && { reason }),
})
export const ask = (approvalId?: string, toolCallId = 'c1'): Chunk => ({
  type: 'tool-approval-request',
  toolCallId,
  toolName: 'search',
  input: { q: 'cats' },
  ...(approvalId !== undefined && { approvalId }),
})
export const answer = (approved: boolean, approvalId = 'a1', toolCallId = 'c1'): Chunk => ({
  type: 'tool-approval-response',
  approvalId,
  toolCallId,
  approved,
})

/** An accumulator that has read these chunks, at a time that stands still. */
export function folded(chunks: readonly Chunk[], options: AccumulateOptions = {}): Accumulator {
  const accumulator = accumulate({ now: () => 0, nextId: () => 'made-up', ...options })
  for (const chunk of chunks) accumulator.push(chunk)
  return accumulator
}

/** The message of chunks whose stream is over. */
export function messageOf(chunks: readonly Chunk[], options: AccumulateOptions = {}): Message {
  const accumulator = folded(chunks, options)
  accumulator.end()
  return accumulator.message!
}

export function callsOf(chunks: readonly Chunk[], options: AccumulateOptions = {}): ToolInvocation[] {
  return toolCalls(messageOf(chunks, options))
}

export function codesOf(chunks: readonly Chunk[]): string[] {
  const accumulator = folded(chunks)
  accumulator.end()
  return [...accumulator.counts.keys()]
}
