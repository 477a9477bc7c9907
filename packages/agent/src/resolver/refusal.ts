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

/** A name from a document as it stands in a message: in backticks, on one line, not too long. */
export function quoted(name: string): string {
  const line = name.replace(/[\u0000-\u001f\u007f`]/g, '\ufffd')
  return `\`${line.length > 200 ? `${line.slice(0, 200)}…` : line}\``
}

/** The code of an error of Node, `''` for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
