import { isRecord } from '../source/is-record.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/** "31 of 46", "31/46", "[31 / 46]", but not a date or a piece of a path or a number. */
const fraction = /(?<![\w./:,-])(\d{1,9}) ?(?:\/|of|out of) ?(\d{1,9})(?![\w/:-]|[.,]\d)/i
const percentage = /(?<![\w./,-])(\d{1,3}(?:[.,]\d{1,6})?) ?%/

/** From 0 to 1: from the newest output's counts, or from its newest line. */
export function findFractionDone({ output }: ToolInvocation, line: string | undefined): number | undefined {
  if (isRecord(output)) {
    const [progress, total, percent] = ['progress', 'total', 'percent'].map(key =>
      Object.hasOwn(output, key) ? output[key] : undefined,
    )
    const share = toShare(progress, total) ?? toShare(percent, 100)
    if (share !== undefined) return share
  }
  if (line === undefined) return undefined
  const [, part, whole] = fraction.exec(line) ?? []
  const [, percent = ''] = percentage.exec(line) ?? []
  return (
    toShare(Number(part), Number(whole)) ??
    (percent === '' ? undefined : toShare(Number(percent.replace(',', '.')), 100))
  )
}

function toShare(part: unknown, whole: unknown): number | undefined {
  if (typeof part !== 'number' || typeof whole !== 'number') return undefined
  return part >= 0 && whole > 0 && part <= whole && Number.isFinite(whole) ? part / whole : undefined
}
