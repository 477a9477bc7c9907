import type { ErrorCode } from '@argot/core'
import type { ToolDeclaration } from '@argot/core/chatmd/internal'

/** Why a tool cannot be offered. */
export interface SourceProblem {
  code: ErrorCode
  message: string
  cure: string
  /** It can be left out: the user does not trust it, or it cannot be reached. */
  canBeLeftOut: boolean
}

/** A tool that a document declares and that cannot be offered. */
export interface ToolProblem extends SourceProblem {
  declaration: ToolDeclaration
}
