import type { Diagnostic } from '@argot/core'
import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { createLineCounter, defined } from '@argot/core/stream/internal'

/** Something that is wrong with a stretch of a file, without its line and column. */
export type Found = Pick<Diagnostic, 'code' | 'severity' | 'message' | 'cure'> & {
  file: string | undefined
  at: { start: number; end: number }
}

/** The diagnostics with their places, in texts that were read. */
export function placed(found: readonly Found[], sources: ExpandedDocument['sources']): Diagnostic[] {
  return found.map(({ file, at, ...problem }) => {
    const source = sources.get(file)
    const range = source === undefined ? undefined : createLineCounter(source).range(at.start, at.end)
    return { ...problem, ...defined({ file, range }) }
  })
}
