import type { ErrorCode } from '@argot/core'
import type { ResolveProblem } from '@argot/core/chatmd/internal'

/**
 * Why a file or an address is not read. Callers turn it into what their own callers expect: a result's problem, a
 * `ToolFailure`, or an `ArgotError`.
 */
export class SourceError extends Error {
  readonly problem: ResolveProblem

  constructor(code: ErrorCode, message: string, cure: string) {
    super(message)
    this.name = 'SourceError'
    this.problem = { code, message, cure }
  }
}
