import type { Chunk, ToolInvocation } from '@argot/core'
import { waitsFor } from '@argot/core/stream'

/** A period in which a run only waited for a person, in milliseconds since the run began. */
export interface RunWait {
  from: number
  to: number
}

/** A shorter wait is just the time of a click. */
const SHORTEST_WAIT = 1000

/** The times between two chunks during which a question was open and no call ran. */
export function runWaits(timeline: readonly { time: number; chunk: Chunk }[]): RunWait[] {
  const asking = new Set<string>()
  const running = new Set<string>()
  const waits: RunWait[] = []
  let before = 0
  for (const { time, chunk } of timeline) {
    if (asking.size > 0 && running.size === 0 && time - before >= SHORTEST_WAIT) waits.push({ from: before, to: time })
    before = time
    if ('toolCallId' in chunk && typeof chunk.toolCallId === 'string')
      noteCall(chunk, chunk.toolCallId, asking, running)
  }
  return waits
}

function noteCall(chunk: Chunk, id: string, asking: Set<string>, running: Set<string>): void {
  const asks = chunk.type === 'tool-approval-request' || (chunk.type === 'tool-input-available' && isQuestion(chunk))
  const runs = chunk.type === 'tool-input-available' || (chunk.type === 'tool-output-available' && chunk.preliminary)
  running.delete(id)
  asking.delete(id)
  if (asks) asking.add(id)
  else if (runs === true) running.add(id)
}

function isQuestion({ toolCallId, toolName, input }: Chunk & { type: 'tool-input-available' }): boolean {
  const call: ToolInvocation = { key: toolCallId, toolCallId, toolName, state: 'input-available', input }
  return waitsFor(call) !== undefined
}
