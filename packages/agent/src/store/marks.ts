import type { Chunk, Message, ToolPart } from '@argot/core'
import { stepMark } from '@argot/core/stream/internal'

export { stepMark }

/** A tool that changes something starts. */
export const callMark = 'data-argot-call'
/** A call runs without the question that the policy would have asked, because a person relaxed approvals for a while. */
export const relaxedMark = 'data-argot-relaxed'
/** The model has written an answer that it is asked for again, because it is not in the form that was asked for. */
export const takenBackMark = 'data-argot-taken-back'
/** What a run began with. */
export const beginMark = 'data-argot-begin'
/** A later process continues the run: lines that nobody vouches for before it do not count. */
export const resumeMark = 'data-argot-resume'
/** The document has everything that was said so far; with `parked` the run is not over. */
export const writtenMark = 'data-argot-written'
/** A summary was written: what it used, and how many tokens the prompt may have from now on. */
export const compactedMark = 'data-argot-compacted'
/** What the `<agent>` elements of the document used before the run began. */
export const agentsMark = 'data-argot-agents'
/** A tool is about to change files: what they have now, and what they will have. */
export const filesMark = 'data-argot-files'
/** In logs of the first version only: the run died, and another one began in its place. */
export const recoveredMark = 'data-argot-recovered'

/** What a run began with: enough to write its elements again from the log alone. */
export interface RunBeginning {
  run: string
  payloads: 'inline' | 'external'
  /** How many bytes the document had, and their SHA-256. */
  size: number
  digest: string
  /** What the document had of the message that the run continues; of its parts only the open calls. */
  message?: Message
  /** In logs of the first version only: the run that died and in whose place this one runs. */
  from?: string
}

/** What a log says that its run began with. One that does not say so has nothing else to say. */
export function findBeginning(lines: Iterable<{ chunk: Chunk }>): RunBeginning | undefined {
  for (const { chunk } of lines) {
    if (chunk.type === beginMark) return 'data' in chunk && isBeginning(chunk.data) ? chunk.data : undefined
  }
  return undefined
}

function isBeginning(value: unknown): value is RunBeginning {
  const { run, payloads, size, digest, message } = (value ?? {}) as Partial<RunBeginning>
  const isMode = payloads === 'inline' || payloads === 'external'
  const fits = typeof run === 'string' && isMode && Number.isSafeInteger(size) && typeof digest === 'string'
  if (!fits || message === undefined) return fits
  return typeof message?.id === 'string' && Array.isArray(message.parts) && message.parts.every(isCall)
}

function isCall(part: unknown): boolean {
  const call = (part as Partial<ToolPart> | null)?.toolInvocation
  return typeof call?.toolCallId === 'string' && typeof call.key === 'string'
}

/** A mark as a chunk. */
export function mark(type: `data-${string}`, data: unknown = {}): Chunk {
  return { type, transient: true, data }
}

/** The data of a mark, as far as it is an object. */
export function markData(chunk: Chunk): Readonly<Record<string, unknown>> {
  const data = 'data' in chunk ? chunk.data : undefined
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

/** The id of the call that a call mark is about. */
export function startedCall(chunk: Chunk): string | undefined {
  if (chunk.type !== callMark) return undefined
  const { toolCallId } = markData(chunk)
  return typeof toolCallId === 'string' ? toolCallId : undefined
}
