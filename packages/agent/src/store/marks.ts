import type { Chunk, Message, ToolPart } from '@argot/core'
import { stepMark } from '@argot/core/stream/internal'

export { stepMark }

/** A tool that changes something starts. */
export const callMark = 'data-argot-call'
/** A call runs without asking, although the policy requires it, because a person relaxed approvals for a while. */
export const relaxedMark = 'data-argot-relaxed'
/** The model's answer wasn't in the requested form, so the model is asked to try again. */
export const takenBackMark = 'data-argot-taken-back'
export const beginMark = 'data-argot-begin'
/** A later process continues the run. Unsigned lines before this mark no longer apply. */
export const resumeMark = 'data-argot-resume'
/** The document has everything up to here. With `parked`, the run isn't over. */
export const writtenMark = 'data-argot-written'
/** A summary was written. Holds its usage and, after a refusal, the new limit for prompt tokens. */
export const compactedMark = 'data-argot-compacted'
/** The usage of the document's `<agent>` elements before the run began. */
export const agentsMark = 'data-argot-agents'
/** A tool is about to change files. Holds their current and their new contents' hashes. */
export const filesMark = 'data-argot-files'
/** Only in version 1 logs: the run died, and another one began in its place. */
export const recoveredMark = 'data-argot-recovered'

/** Enough to write the run's elements again from the log alone. */
export interface RunBeginning {
  run: string
  payloads: 'inline' | 'external'
  /** The document's size in bytes, and its SHA-256 (`digest`). */
  size: number
  digest: string
  /** The existing part of the message that the run continues. Of its parts, it has only the open calls. */
  message?: Message
  /** Only in version 1 logs: the dead run that this one replaces. */
  from?: string
}

/** Undefined if the log has no valid beginning. Such a log is of no use. */
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

export function mark(type: `data-${string}`, data: unknown = {}): Chunk {
  return { type, transient: true, data }
}

/** The data of a mark; empty if it isn't an object. */
export function markData(chunk: Chunk): Readonly<Record<string, unknown>> {
  const data = 'data' in chunk ? chunk.data : undefined
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

export function startedCall(chunk: Chunk): string | undefined {
  if (chunk.type !== callMark) return undefined
  const { toolCallId } = markData(chunk)
  return typeof toolCallId === 'string' ? toolCallId : undefined
}
