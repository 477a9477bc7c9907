import type { CallToWrite, ToolResult } from '../../message/tool-invocation.ts'
import { ArgotError } from '../../source/error.ts'

/** Throws `SYNTAX_CANNOT_WRITE` for what an untyped program may pass instead of a call. */
export function checkCall<Call extends CallToWrite | ToolResult>(call: Call, what = 'call'): Call {
  const candidate: unknown = call
  const { toolName, toolCallId } = (candidate ?? {}) as Record<string, unknown>
  if (typeof toolName === 'string' && (toolCallId === undefined || typeof toolCallId === 'string')) return call
  const wrong = typeof toolName === 'string' ? 'its `toolCallId` is not a string' : 'it has no `toolName`'
  throw new ArgotError('SYNTAX_CANNOT_WRITE', `The ${what} cannot be written: ${wrong}.`)
}
