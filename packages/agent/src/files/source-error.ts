import type { ErrorCode } from '@argot/core'
import type { ResolveProblem } from '@argot/core/chatmd/internal'

/**
 * Why a file or an address is not read. Whoever asked for it makes of it what its own callers expect: the problem of a
 * result, a `ToolFailure`, an `ArgotError`.
 */
export class SourceError extends Error {
  readonly problem: ResolveProblem

  constructor(code: ErrorCode, message: string, cure: string) {
    super(message)
    this.name = 'SourceError'
    this.problem = { code, message, cure }
  }
}
