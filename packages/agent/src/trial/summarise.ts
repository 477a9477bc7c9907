import { groupBy } from './group-by.ts'
import type { TrialCase, TrialReport } from './trial-report.ts'

export interface SyntaxSummary {
  syntax: string
  /** Attempts that count: those in which the model could be called. */
  runs: number
  solved: number
  /** The 95% confidence interval of the share of solved tasks. */
  range: readonly [number, number]
  errors: number
  calls: number
  wrongCalls: number
  repairs: number
  readerRepairs: number
  /** Means per attempt. */
  inputTokens: number
  outputTokens: number
  estimated: boolean
  ms: number
  categories: readonly CategorySummary[]
}

export interface CategorySummary {
  category: string
  runs: number
  solved: number
}

/** One row per syntax: the most solved first, then the fewest tokens. */
export function summarise(report: Pick<TrialReport, 'tasks' | 'cases'>): SyntaxSummary[] {
  const categories = new Map(report.tasks.map(({ name, category }) => [name, category]))
  const bySyntax = groupBy(report.cases, ({ syntax }) => syntax)
  return [...bySyntax]
    .map(([syntax, cases]) => summariseSyntax(syntax, cases, categories))
    .sort((a, b) => getSolvedShare(b) - getSolvedShare(a) || countTokens(a) - countTokens(b))
}

function summariseSyntax(
  syntax: string,
  all: readonly TrialCase[],
  categories: ReadonlyMap<string, string>,
): SyntaxSummary {
  const cases = all.filter(({ error }) => error === undefined)
  const sum = (pick: (one: TrialCase) => number): number => cases.reduce((total, one) => total + pick(one), 0)
  const mean = (pick: (one: TrialCase) => number): number => (cases.length === 0 ? 0 : sum(pick) / cases.length)
  const solved = countSolved(cases)
  // In the order of the tasks, not of completion.
  const groups = groupBy(cases, ({ task }) => categories.get(task) ?? '')
  const names = [...new Set(categories.values())].filter(name => groups.has(name))
  return {
    syntax,
    runs: cases.length,
    solved,
    range: confidence(solved, cases.length),
    errors: all.length - cases.length,
    calls: sum(one => one.calls),
    wrongCalls: sum(countWrongCalls),
    repairs: sum(one => one.repairs),
    readerRepairs: sum(one => one.readerRepairs),
    inputTokens: Math.round(mean(one => one.inputTokens)),
    outputTokens: Math.round(mean(one => one.outputTokens)),
    estimated: cases.some(({ estimated }) => estimated),
    ms: Math.round(mean(one => one.ms)),
    categories: names.map(category => {
      const group = groups.get(category)!
      return { category, runs: group.length, solved: countSolved(group) }
    }),
  }
}

function countWrongCalls({ wrongCalls }: Pick<TrialCase, 'wrongCalls'>): number {
  return Object.values(wrongCalls).reduce((sum, count) => sum + count, 0)
}

function countSolved(cases: readonly TrialCase[]): number {
  return cases.filter(({ solved }) => solved).length
}

function getSolvedShare({ solved, runs }: SyntaxSummary): number {
  return runs === 0 ? -1 : solved / runs
}

function countTokens({ inputTokens, outputTokens }: SyntaxSummary): number {
  return inputTokens + outputTokens
}

/** Wilson's 95% interval. */
function confidence(solved: number, runs: number): [number, number] {
  if (runs === 0) return [0, 1]
  const z = 1.96
  const rate = solved / runs
  const middle = rate + z ** 2 / (2 * runs)
  const spread = z * Math.sqrt((rate * (1 - rate)) / runs + z ** 2 / (4 * runs ** 2))
  const whole = 1 + z ** 2 / runs
  return [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)]
}
