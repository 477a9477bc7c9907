import { summarise, type TrialReport } from '@argot/agent/internal'
import type { Paint } from '../../io/paint.ts'
import { safeText } from '../../io/safe-text.ts'
import { cutEnd } from '../../io/width.ts'
import { textTable } from '../text-table.ts'
import { categoryRows, failureLines, summaryRows, verdict } from './trial-tables.ts'
import { wrapLine } from './wrap-line.ts'

/** Further failures are only in `--json` and `--markdown`. */
const MOST_FAILURES = 10

const LEGEND =
  "wrong: wrong calls · repairs: wrong calls that the model corrected · reader: calls that Argot's reader repaired · in, out: tokens per task (~ marks estimates)"

export function showTrial(report: TrialReport, columns: number, paint: Paint): string {
  const summaries = summarise(report)
  const blocks = [
    summaries.length === 0 ? [] : paintHeads(textTable(summaryRows(summaries), columns), paint),
    summaries.length === 0 ? [] : wrapLine(LEGEND, columns).map(line => paint(line, 'dim')),
    summaries.length === 0 ? [] : paintHeads(textTable(categoryRows(summaries), columns), paint),
    report.skipped.flatMap(({ syntax, reason }) => wrapLine(safeText(`Not tried: ${syntax}. ${reason}`), columns)),
    listFailures(report, columns, paint),
    wrapLine(verdict(summaries) ?? '', columns),
  ]
  return blocks
    .filter(lines => lines.length > 0)
    .map(lines => `${lines.join('\n')}\n`)
    .join('\n')
}

function paintHeads(lines: readonly string[], paint: Paint): string[] {
  return lines.map((line, index) => (index === 0 || lines[index - 1] === '' ? paint(line, 'bold') : line))
}

function listFailures(report: TrialReport, columns: number, paint: Paint): string[] {
  const failures = failureLines(report)
  if (failures.length === 0) return []
  const lines = failures.slice(0, MOST_FAILURES).map(line => `  ${oneLine(line, columns - 2)}`)
  const left = failures.length - lines.length
  const more = left === 0 ? [] : [`  … and ${left} more; --json and --markdown list all`]
  return [paint('Not solved', 'bold'), ...lines, ...more]
}

function oneLine(text: string, columns: number): string {
  return cutEnd(safeText(text).replace(/\s+/g, ' '), columns)
}
