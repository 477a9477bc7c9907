import type { ChangedSource } from '../agents/frozen-sources.ts'
import type { RangeProblem } from './range-problem.ts'

export function describeChange({ place, how }: ChangedSource, document: string | undefined): RangeProblem {
  const { src, from = document, at = { start: 0, end: 0 } } = place
  const message = `\`${src}\` ${how === 'gone' ? 'was removed' : 'changed'} after it was sent.`
  const cure = 'The answered turn keeps the old content. Use --refresh to read it again.'
  return { code: 'CHATMD_SOURCE_CHANGED', severity: 'info', message, cure, file: from, at }
}
