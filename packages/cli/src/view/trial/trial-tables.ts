import { type SyntaxSummary, summarise, type TrialCase, type TrialReport } from '@argot/agent/internal'
import { english } from '@argot/core/stream'
import type { Cells } from '../text-table.ts'

export const columnMeanings: readonly (readonly [string, string])[] = [
  ['solved', 'tasks with correct calls and a correct answer, out of all attempts'],
  [
    'wrong',
    'wrong calls: unnecessary calls, invented tools, invalid values, and calls that are unreadable or only quoted',
  ],
  ['repairs', 'wrong calls that the model corrected after Argot sent it the error'],
  ['reader', 'calls with small mistakes that the reader repaired'],
  ['in, out', "tokens per task, on average; ~ marks an estimate, if the provider didn't count all of them"],
  ['time', 'per task, on average'],
]

export function summaryRows(summaries: readonly SyntaxSummary[]): Cells {
  return [['syntax', 'solved', '', 'wrong', 'repairs', 'reader', 'in', 'out', 'time'], ...summaries.map(summaryRow)]
}

function summaryRow(one: SyntaxSummary): string[] {
  const about = one.estimated ? '~' : ''
  return [
    one.syntax,
    `${one.solved}/${one.runs}`,
    percent(one.solved, one.runs),
    english.number(one.wrongCalls),
    english.number(one.repairs),
    english.number(one.readerRepairs),
    about + english.number(one.inputTokens),
    about + english.number(one.outputTokens),
    `${(one.ms / 1000).toFixed(1)} s`,
  ]
}

export function categoryRows(summaries: readonly SyntaxSummary[]): Cells {
  const names = [...new Set(summaries.flatMap(({ categories }) => categories.map(({ category }) => category)))]
  return [
    ['solved', ...summaries.map(({ syntax }) => syntax)],
    ...names.map(name => [
      name,
      ...summaries.map(({ categories }) => {
        const one = categories.find(({ category }) => category === name)
        return one === undefined ? '–' : `${one.solved}/${one.runs}`
      }),
    ]),
  ]
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`
}

/** The one-sentence result of a trial. Undefined if nothing was tried. */
export function verdict(summaries: readonly SyntaxSummary[]): string | undefined {
  const triedSummaries = summaries.filter(({ runs }) => runs > 0)
  const [best, second] = triedSummaries
  if (best === undefined) return undefined
  if (best.solved === 0) return 'No task was solved with any syntax.'
  if (second === undefined) return undefined
  const ties = triedSummaries.filter(one => one.runs > 0 && one.range[1] >= best.solved / best.runs && one !== best)
  const cheapest = [best, ...ties].reduce((a, b) => (totalTokens(b) < totalTokens(a) ? b : a))
  const lead = `Best: ${best.syntax}, ${percent(best.solved, best.runs)} solved.`
  if (ties.length === 0) return lead
  const names = ties.map(({ syntax }) => syntax).join(', ')
  const cost = cheapest === best ? '' : ` Of these, ${cheapest.syntax} uses the fewest tokens.`
  return `${lead} Too close to tell apart with this many runs: ${names}.${cost}`
}

function totalTokens({ inputTokens, outputTokens }: SyntaxSummary): number {
  return inputTokens + outputTokens
}

/** The attempts that failed, one line each, starting with the best syntax. */
export function failureLines(report: Pick<TrialReport, 'tasks' | 'cases'>): string[] {
  const ranks = new Map(summarise(report).map(({ syntax }, rank) => [syntax, rank]))
  return report.cases
    .filter(({ solved }) => !solved)
    .sort((a, b) => ranks.get(a.syntax)! - ranks.get(b.syntax)!)
    .map(one => `${caseName(one)}: ${describeFailure(one)}`)
}

function caseName({ syntax, task, run }: TrialCase): string {
  return `${syntax} · ${task}${run > 1 ? ` (run ${run})` : ''}`
}

function describeFailure({ error, failures }: TrialCase): string {
  if (error !== undefined) return `not counted: ${error.text} (${error.code})`
  return `${failures.map(({ text }) => text.replace(/\.$/, '')).join('; ')}.`
}

export function reportJson(report: TrialReport): string {
  return `${JSON.stringify({ ...report, summary: summarise(report) }, null, 1)}\n`
}
