import { defined } from '../source/defined.ts'
import type { Diagnostic, Severity } from '../source/diagnostic.ts'
import type { ErrorCode } from '../source/error.ts'
import { createLineCounter } from '../source/position.ts'

export interface DocumentProblem {
  code: ErrorCode
  severity: Severity
  start: number
  end: number
  message: string
  cure?: string
  fix?: Fix
  /** A likely repair for a person to choose. It is never made automatically. */
  suggestion?: Fix
}

export interface Fix {
  start: number
  end: number
  text: string
}

const PER_CODE = 1000

/** Lines and columns are only counted if there is something to report. */
export class Problems {
  readonly #list: DocumentProblem[] = []
  readonly #counts: Map<ErrorCode, number> = new Map()
  #last: DocumentProblem | undefined

  error(code: ErrorCode, start: number, end: number, message: string, cure?: string, fix?: Fix): void {
    this.#add({ code, severity: 'error', start, end, message, ...defined({ cure, fix }) })
  }

  suggest(start: number, end: number, text: string): void {
    if (this.#last !== undefined) this.#last.suggestion = { start, end, text }
  }

  warn(code: ErrorCode, start: number, end: number, message: string, cure?: string, fix?: Fix): void {
    this.#add({ code, severity: 'warning', start, end, message, ...defined({ cure, fix }) })
  }

  addAll(problems: Problems): void {
    for (const problem of problems.#list) this.#add({ ...problem })
  }

  get count(): number {
    return this.#list.length
  }

  /** Removes the problems reported since `count` had this value: another fault explains them. */
  dropSince(count: number): void {
    for (const { code } of this.#list.splice(count)) this.#counts.set(code, this.#counts.get(code)! - 1)
  }

  get fixes(): Fix[] {
    return this.#list.flatMap(({ fix }) => (fix === undefined ? [] : [fix])).sort((a, b) => a.start - b.start)
  }

  get fixableProblems(): DocumentProblem[] {
    return this.#list.filter(({ fix, suggestion }) => fix !== undefined || suggestion !== undefined)
  }

  get hasErrors(): boolean {
    return this.#list.some(problem => problem.severity === 'error')
  }

  /** True if further problems with this code are only counted, not stored. */
  isFull(code: ErrorCode): boolean {
    return (this.#counts.get(code) ?? 0) >= PER_CODE
  }

  #add(problem: DocumentProblem): void {
    const count = (this.#counts.get(problem.code) ?? 0) + 1
    this.#counts.set(problem.code, count)
    this.#last = count <= PER_CODE ? problem : undefined
    if (this.#last !== undefined) this.#list.push(problem)
  }

  diagnostics(source: string, file?: string): Diagnostic[] {
    if (this.#list.length === 0) return []
    const lines = createLineCounter(source)
    return this.#list
      .toSorted((a, b) => a.start - b.start || a.end - b.end)
      .map(({ code, severity, start, end, message, cure }) => ({
        code,
        severity,
        message,
        ...defined({ cure, file }),
        range: lines.range(start, end),
      }))
  }
}

export function reportUnclosedComment(problems: Problems, at: number): void {
  const cure = 'End it with `-->`, or put the text into a RAW block.'
  problems.error('CHATMD_UNCLOSED_COMMENT', at, at + 4, 'This comment is not closed.', cure)
}

export function insertFix(text: string, at: number): Fix {
  return { start: at, end: at, text }
}
