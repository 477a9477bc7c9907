import type { Diagnostic } from '@argot/core'
import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { createLineCounter, defined } from '@argot/core/stream/internal'

export type RangeProblem = Pick<Diagnostic, 'code' | 'severity' | 'message' | 'cure'> & {
  file: string | undefined
  at: { start: number; end: number }
}

/** Adds lines and columns, if the text of the problem's file is in `sources`. */
export function toDiagnostics(problems: readonly RangeProblem[], sources: ExpandedDocument['sources']): Diagnostic[] {
  return problems.map(({ file, at, ...problem }) => {
    const source = sources.get(file)
    const range = source === undefined ? undefined : createLineCounter(source).range(at.start, at.end)
    return { ...problem, ...defined({ file, range }) }
  })
}
