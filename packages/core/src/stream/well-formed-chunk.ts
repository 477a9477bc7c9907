import type { ErrorCode } from '../source/error.ts'
import { inspectPayload } from './builder/payload.ts'
import type { Chunk } from './chunk.ts'

const checkedFields = [
  'type',
  'id',
  'toolCallId',
  'messageId',
  'approvalId',
  'providerMetadata',
  'toolMetadata',
] as const

/**
 * Makes ids well-formed and metadata plain data. Returns the same object if nothing is wrong. Metadata that is nested
 * too deeply or contains itself is left out.
 */
export function toWellFormedChunk(chunk: Chunk, report: (code: ErrorCode, message: string) => void): Chunk {
  const fields = chunk as unknown as Record<string, unknown>
  if (needsNoCheck(fields)) return chunk
  let copy: Record<string, unknown> | undefined
  for (const name of checkedFields) {
    const value = fields[name]
    const payload = inspectPayload(value)
    if (Object.is(payload.value, value)) continue
    copy ??= { ...fields }
    copy[name] = payload.value
    if (payload.tooDeep) {
      delete copy[name]
      report('STREAM_TOO_DEEP', `\`${name}\` is nested too deeply and was left out.`)
    } else if (payload.repaired) {
      report('STREAM_LONE_SURROGATE', `An unpaired surrogate in \`${name}\` was replaced by U+FFFD.`)
    }
  }
  return (copy as unknown as Chunk | undefined) ?? chunk
}

/** The fast path for deltas, which are nearly all chunks. */
function needsNoCheck({
  type,
  id,
  toolCallId,
  messageId,
  approvalId,
  providerMetadata,
  toolMetadata,
}: Record<string, unknown>): boolean {
  if (providerMetadata !== undefined || toolMetadata !== undefined) return false
  return (
    isWellFormed(type) &&
    isWellFormed(id) &&
    isWellFormed(toolCallId) &&
    isWellFormed(messageId) &&
    isWellFormed(approvalId)
  )
}

function isWellFormed(text: unknown): boolean {
  return typeof text !== 'string' || text.isWellFormed()
}

/** The copy can be held and saved. Undefined if the value has no JSON. */
export function jsonCopy<T>(value: T): T | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as T
  } catch {
    return undefined
  }
}
