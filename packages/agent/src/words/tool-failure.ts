import type { ErrorCode } from 'argot'

/** A tool refuses, or fails in a way that it understands. Any other error is `TOOL_FAILED`. */
export class ToolFailure extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolFailure'
    this.code = code
  }
}
