import type { ErrorCode } from './error.ts'
import type { Range } from './position.ts'

export type Severity = 'error' | 'warning' | 'info'

/** Something that is wrong with input, as data: what, how bad, where, and how to fix it. */
export interface Diagnostic {
  code: ErrorCode
  severity: Severity
  /** A complete sentence that says what happened. */
  message: string
  /** A complete sentence that says what to do, where there is something to do. */
  cure?: string
  file?: string
  /** The place in a text. */
  range?: Range
  /** The place in a stream: the number of the chunk, from 0. */
  chunk?: number
}

/**
 * Collects diagnostics in bounded memory: the first `perCode` of each code are kept in full, all are counted.
 * Input that is wrong a million times costs a number, not a million objects.
 */
export class DiagnosticLog {
  /** The kept ones, oldest first. */
  readonly list: Diagnostic[] = []
  /** How often each code occurred, kept or not. */
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
