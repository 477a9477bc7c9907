import { defined } from '../source/defined.ts'
import type { Diagnostic, Severity } from '../source/diagnostic.ts'
import type { ErrorCode } from '../source/error.ts'
import { createLineCounter } from '../source/position.ts'

export interface Problem {
  code: ErrorCode
  severity: Severity
  start: number
  end: number
  message: string
  cure?: string
  /** What repairs it, where a machine can. */
  fix?: Fix
  /** What probably repairs it: for a person to choose, and never made unasked. */
  suggestion?: Fix
}

/** A change of the text: `text` in place of what is between two offsets. */
export interface Fix {
  start: number
  end: number
  text: string
}

const PER_CODE = 1000

/** Collects what is wrong with one text by offset; lines and columns are counted only if there is something to tell. */
export class Problems {
  readonly #list: Problem[] = []
  readonly #counts: Map<ErrorCode, number> = new Map()
  /** What was reported last, unless it was only counted. */
  #last: Problem | undefined

  error(code: ErrorCode, start: number, end: number, message: string, cure?: string, fix?: Fix): void {
    this.#add({ code, severity: 'error', start, end, message, ...defined({ cure, fix }) })
  }

  /** What was reported last is probably repaired by this change. */
  suggest(start: number, end: number, text: string): void {
    if (this.#last !== undefined) this.#last.suggestion = { start, end, text }
  }

  warn(code: ErrorCode, start: number, end: number, message: string, cure?: string, fix?: Fix): void {
    this.#add({ code, severity: 'warning', start, end, message, ...defined({ cure, fix }) })
  }

  /** Takes over everything that was reported elsewhere about the same text. */
  addAll(problems: Problems): void {
    for (const problem of problems.#list) this.#add({ ...problem })
  }

  /** How many there are; what comes later can be dropped again. */
  get count(): number {
    return this.#list.length
  }

  /** Takes back what was reported since there were this many: another fault explains it. */
  dropSince(count: number): void {
    for (const { code } of this.#list.splice(count)) this.#counts.set(code, this.#counts.get(code)! - 1)
  }

  /** What a machine can repair, in the order of the text. */
  get fixes(): Fix[] {
    return this.#list.flatMap(({ fix }) => (fix === undefined ? [] : [fix])).sort((a, b) => a.start - b.start)
  }

  /** What a person may choose, problem by problem. */
  get choices(): Problem[] {
    return this.#list.filter(({ fix, suggestion }) => fix !== undefined || suggestion !== undefined)
  }

  /** An error was reported. */
  get hasErrors(): boolean {
    return this.#list.some(problem => problem.severity === 'error')
  }

  /** True once enough of a code are kept that more are only counted. */
  full(code: ErrorCode): boolean {
    return (this.#counts.get(code) ?? 0) >= PER_CODE
  }

  #add(problem: Problem): void {
    const count = (this.#counts.get(problem.code) ?? 0) + 1
    this.#counts.set(problem.code, count)
    this.#last = count <= PER_CODE ? problem : undefined
    if (this.#last !== undefined) this.#list.push(problem)
  }

  /** The diagnostics in the order of the text. */
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

/** Says that a comment has no end. */
export function reportUnclosedComment(problems: Problems, at: number): void {
  const cure = 'End it with `-->`, or put the text into a RAW block.'
  problems.error('CHATMD_UNCLOSED_COMMENT', at, at + 4, 'This comment is not closed.', cure)
}

/** The text as it is with more at one place. */
export function endWith(text: string, at: number): Fix {
  return { start: at, end: at, text }
}
