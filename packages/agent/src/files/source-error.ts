import type { ErrorCode } from 'argot'
import type { ResolveProblem } from 'argot/chatmd'

/** Why a source is not read. Never leaves the resolver: it becomes the problem of a result. */
export class Refusal extends Error {
  readonly problem: ResolveProblem

  constructor(code: ErrorCode, message: string, cure: string) {
    super(message)
    this.name = 'Refusal'
    this.problem = { code, message, cure }
  }
}
