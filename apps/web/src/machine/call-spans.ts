import { type Chunk, describeCall, type ToolInvocation } from '@argot/core'

export interface CallSpan {
  toolCallId: string
  /** The call's subject, or else its tool name. */
  name: string
  start: number
  end: number
  /** The number of its first chunk, counted from 1. */
  chunk: number
  lane: 0 | 1
  hasFailed: boolean
}

export function callSpans(timeline: readonly { time: number; chunk: Chunk }[]): CallSpan[] {
  const spans = new Map<string, CallSpan>()
  const laneFreeAt = [0, 0]
  for (const [index, { time, chunk }] of timeline.entries()) {
    const id = 'toolCallId' in chunk && typeof chunk.toolCallId === 'string' ? chunk.toolCallId : undefined
    if (id === undefined) continue
    let span = spans.get(id)
    if (span === undefined) {
      const lane = laneFreeAt[0]! <= time ? 0 : 1
      laneFreeAt[lane] = Number.POSITIVE_INFINITY
      const name = 'toolName' in chunk && typeof chunk.toolName === 'string' ? chunk.toolName : id
      span = { toolCallId: id, name, start: time, end: time, chunk: index + 1, lane, hasFailed: false }
      spans.set(id, span)
    }
    span.end = time
    if (chunk.type === 'tool-input-available') span.name = getSubject(chunk) ?? chunk.toolName
    if (chunk.type === 'tool-output-error' || chunk.type === 'tool-input-error') span.hasFailed = true
    if (isLast(chunk)) laneFreeAt[span.lane] = time
  }
  return [...spans.values()]
}

function isLast(chunk: Chunk): boolean {
  if (chunk.type === 'tool-output-available') return chunk.preliminary !== true
  return chunk.type === 'tool-output-error' || chunk.type === 'tool-output-denied' || chunk.type === 'tool-input-error'
}

function getSubject({ toolCallId, toolName, input }: Chunk & { type: 'tool-input-available' }): string | undefined {
  const call: ToolInvocation = { key: toolCallId, toolCallId, toolName, state: 'input-available', input }
  return describeCall(call).subject
}
