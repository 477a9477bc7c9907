import type { ErrorCode } from '@argot/core'
import type { ToolDeclaration } from '@argot/core/chatmd/internal'

export interface SourceProblem {
  code: ErrorCode
  message: string
  cure: string
  /** It can be skipped: the user doesn't trust it, or it can't be reached. */
  canBeLeftOut: boolean
}

export interface ToolProblem extends SourceProblem {
  declaration: ToolDeclaration
}
