import { summarise, type TrialReport } from '@argot/agent/internal'
import { escapeCell, markdownTable } from '../text-table.ts'
import { categoryRows, columnMeanings, failureLines, summaryRows, verdict } from './trial-tables.ts'

const MOST_FAILURES = 200

export function trialPage(report: TrialReport): string {
  const summaries = summarise(report)
  const failures = failureLines(report)
  const sections = [
    `# Trial of ${escapeCell(report.model)}`,
    describeTrial(report),
    verdict(summaries) ?? '',
    ...(summaries.length === 0
      ? ['Nothing was tried.']
      : [table(summaryRows(summaries)), meanings(), '## By category', table(categoryRows(summaries))]),
    ...intervals(summaries),
    ...report.skipped.map(({ syntax, reason }) => `Not tried: ${escapeCell(`${syntax}. ${reason}`)}`),
    ...(failures.length === 0 ? [] : ['## Not solved', list(failures)]),
  ]
  return `${sections.filter(text => text !== '').join('\n\n')}\n`
}

function describeTrial({ startedAt, tasks, limits, temperature }: TrialReport): string {
  const temperatureText = temperature === undefined ? '' : `, temperature ${temperature}`
  return `${escapeCell(startedAt.slice(0, 10))}, ${tasks.length} tasks. Each attempt may use up to ${limits.maxTokens} tokens and ${limits.maxSeconds} s${temperatureText}. A program checks the calls and the answer of each task; no model judges.`
}

function table(rows: Parameters<typeof markdownTable>[0]): string {
  return markdownTable(rows).join('\n')
}

function meanings(): string {
  return columnMeanings.map(([name, meaning]) => `- **${name}**: ${meaning}`).join('\n')
}

function intervals(summaries: ReturnType<typeof summarise>): string[] {
  if (summaries.length === 0) return []
  const ranges = summaries.map(
    ({ syntax, range }) => `${syntax} ${range.map(one => Math.round(100 * one)).join('–')} %`,
  )
  return [`Share of tasks that each syntax solves, with 95 % confidence: ${escapeCell(ranges.join(', '))}.`]
}

function list(failures: readonly string[]): string {
  const lines = failures.slice(0, MOST_FAILURES).map(line => `- ${escapeCell(line)}`)
  const left = failures.length - lines.length
  return [...lines, ...(left > 0 ? [`- … and ${left} more.`] : [])].join('\n')
}
