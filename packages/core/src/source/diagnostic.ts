import type { ErrorCode } from './error.ts'
import type { Range } from './position.ts'

export type Severity = 'error' | 'warning' | 'info'

/** A problem with input, as data: what, how bad, where, and how to fix it. */
export interface Diagnostic {
  code: ErrorCode
  severity: Severity
  /** A complete sentence that says what happened. */
  message: string
  /** A complete sentence that says what to do, if there is something to do. */
  cure?: string
  file?: string
  range?: Range
  /** In a stream: the chunk's index, starting at 0. */
  chunk?: number
}

/**
 * Collects diagnostics in bounded memory: stores the first `perCode` of each code and counts all. A million problems
 * cost a number, not a million objects.
 */
export class DiagnosticLog {
  readonly list: Diagnostic[] = []
  readonly counts: Map<ErrorCode, number> = new Map()
  readonly #perCode: number

  constructor(perCode = 20) {
    this.#perCode = perCode
  }

  add(diagnostic: Diagnostic): void {
    const count = (this.counts.get(diagnostic.code) ?? 0) + 1
    this.counts.set(diagnostic.code, count)
    if (count <= this.#perCode) this.list.push(diagnostic)
  }
}
