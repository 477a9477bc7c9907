import { type Accumulator, isToolPart, type Message } from '@argot/core'
import { messageToChunks } from '@argot/core/stream'
import type { AccumulateOptions } from '@argot/core/stream/internal'

/**
 * A fold in the state of `message`, so that a stream can continue it. The calls keep their times, and no events are
 * sent for their past states. `accumulate` is a parameter: a page has it already, and this module is loaded later.
 */
export function accumulateFrom(
  accumulate: (options: AccumulateOptions) => Accumulator,
  message: Message,
  options: AccumulateOptions,
): Accumulator {
  const { onToolCall, now = Date.now } = options
  const times = new Map(
    message.parts.filter(isToolPart).map(({ toolInvocation: call }) => [call.toolCallId, call] as const),
  )
  let clock: number | undefined
  let isPrimed = false
  const accumulator = accumulate({
    ...options,
    now: () => clock ?? now(),
    onToolCall: payload => (isPrimed ? onToolCall?.(payload) : undefined),
  })
  for (const chunk of messageToChunks({ ...message, status: 'streaming' })) {
    const call = 'toolCallId' in chunk ? times.get(chunk.toolCallId) : undefined
    const isStart = chunk.type === 'tool-input-start'
    clock = call && (isStart ? call.startedAt : call.endedAt)
    accumulator.push(chunk)
  }
  clock = undefined
  isPrimed = true
  return accumulator
}
