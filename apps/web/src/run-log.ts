import type { Chunk, LogLine } from 'argot'
import { base } from './api.ts'

/** Everything that the log of a run has now, in pieces as the server gives them. */
export async function readLog(run: string): Promise<LogLine[]> {
  const lines: LogLine[] = []
  let offset = '-1'
  for (;;) {
    const answer = await fetch(`${base}api/runs/${encodeURIComponent(run)}/log?offset=${offset}`)
    if (!answer.ok) throw new Error(`The log could not be read (${answer.status}).`)
    lines.push(...((await answer.json()) as LogLine[]))
    const next = answer.headers.get('stream-next-offset')
    if (answer.headers.get('stream-up-to-date') === 'true' || next === null || next === offset) return asOne(lines)
    offset = next
  }
}

/** Without the places at which the run was parked and continued: it is one message. */
function asOne(lines: readonly LogLine[]): LogLine[] {
  let hasStarted = false
  const last = lines.at(-1)
  return lines.filter(line => {
    const { chunk } = line
    const isAgain = chunk.type === 'start' && hasStarted
    hasStarted ||= chunk.type === 'start'
    return !isAgain && (line === last || chunk.type !== 'finish' || chunk.finishReason !== 'tool-calls')
  })
}

/** A call on the time line. */
export interface CallSpan {
  toolCallId: string
  name: string
  start: number
  end: number
  lane: number
  hasFailed: boolean
}

/** The calls of a run with their times, in two lanes. */
export function callSpans(timeline: readonly { time: number; chunk: Chunk }[]): CallSpan[] {
  const spans = new Map<string, CallSpan>()
  const ends = [0, 0]
  for (const { time, chunk } of timeline) {
    if (chunk.type === 'tool-input-start') {
      const lane = ends[0]! <= time ? 0 : 1
      ends[lane] = Number.POSITIVE_INFINITY
      const { toolCallId, toolName } = chunk
      spans.set(toolCallId, { toolCallId, name: toolName, start: time, end: time, lane, hasFailed: false })
      continue
    }
    const id = 'toolCallId' in chunk ? chunk.toolCallId : undefined
    const span = id === undefined ? undefined : spans.get(id)
    if (span === undefined) continue
    span.end = time
    if (chunk.type === 'tool-output-error' || chunk.type === 'tool-input-error') span.hasFailed = true
    const isOver = chunk.type.startsWith('tool-output-') && !('preliminary' in chunk && chunk.preliminary === true)
    if (isOver) ends[span.lane] = time
  }
  return [...spans.values()]
}

/** What a chunk says, in a line. */
export function chunkText(chunk: Chunk): string {
  const { type: _, ...rest } = chunk
  if ('delta' in rest && typeof rest.delta === 'string') return rest.delta
  if ('inputTextDelta' in rest && typeof rest.inputTextDelta === 'string') return rest.inputTextDelta
  return JSON.stringify(rest)
}
