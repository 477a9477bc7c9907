import type { Diagnostic, Severity } from '../source/diagnostic.ts'
import type { ErrorCode } from '../source/error.ts'
import { countLines } from '../source/position.ts'

export interface Problem {
  code: ErrorCode
  severity: Severity
  start: number
  end: number
  message: string
  cure?: string
}

const PER_CODE = 1000

/** Collects what is wrong with one text by offset; lines and columns are counted only if there is something to tell. */
export class Problems {
  readonly #list: Problem[] = []
  readonly #counts: Map<ErrorCode, number> = new Map()

  error(code: ErrorCode, start: number, end: number, message: string, cure?: string): void {
    this.#add(code, 'error', start, end, message, cure)
  }

  warn(code: ErrorCode, start: number, end: number, message: string, cure?: string): void {
    this.#add(code, 'warning', start, end, message, cure)
  }

  /** An error was reported. */
  get hasErrors(): boolean {
    return this.#list.some(problem => problem.severity === 'error')
  }

  /** True once so many of a code are kept that more are only counted. */
  full(code: ErrorCode): boolean {
    return (this.#counts.get(code) ?? 0) >= PER_CODE
  }

  #add(code: ErrorCode, severity: Severity, start: number, end: number, message: string, cure?: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1
    this.#counts.set(code, count)
    if (count > PER_CODE) return
    this.#list.push({ code, severity, start, end, message, ...(cure === undefined ? {} : { cure }) })
  }

  /** The diagnostics in the order of the text. */
  diagnostics(source: string, file?: string): Diagnostic[] {
    if (this.#list.length === 0) return []
    const lines = countLines(source)
    return this.#list
      .toSorted((a, b) => a.start - b.start || a.end - b.end)
      .map(({ code, severity, start, end, message, cure }) => ({
        code,
        severity,
        message,
        ...(cure === undefined ? {} : { cure }),
        ...(file === undefined ? {} : { file }),
        range: lines.range(start, end),
      }))
  }
}
