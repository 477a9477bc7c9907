import type { ErrorCode } from '@argot/core'
import { ToolFailure } from '../words/tool-failure.ts'
import { SourceError } from './source-error.ts'

const FAILURES: ReadonlyMap<ErrorCode, readonly [code: ErrorCode, cure: string]> = new Map<
  ErrorCode,
  readonly [ErrorCode, string]
>([
  ['CHATMD_FILE_NOT_FOUND', ['TOOL_FILE_NOT_FOUND', 'Correct the path.']],
  ['CHATMD_FILE_UNREADABLE', ['TOOL_FILE_UNREADABLE', 'Choose another path.']],
  ['CHATMD_SOURCE_TOO_LARGE', ['TOOL_FILE_TOO_LARGE', 'Use a smaller file, or part of this one.']],
  ['CHATMD_BINARY', ['TOOL_BINARY', 'Only text files work here.']],
  ['CHATMD_BAD_ENCODING', ['TOOL_BINARY', 'Only UTF-8 text works here.']],
  ['CHATMD_BAD_ADDRESS', ['TOOL_ADDRESS_REFUSED', 'Use a full http or https address without a password.']],
  ['CHATMD_PRIVATE_ADDRESS', ['TOOL_ADDRESS_REFUSED', 'Use a public address.']],
])

/** What a tool throws instead of a `SourceError`. Returns any other error unchanged. */
export function toToolFailure(error: unknown): unknown {
  if (!(error instanceof SourceError)) return error
  const { code, message } = error.problem
  const [own, cure] = FAILURES.get(code) ?? (['TOOL_FETCH_FAILED', 'Check the address, or try another.'] as const)
  return new ToolFailure(own, `${message} ${cure}`)
}
