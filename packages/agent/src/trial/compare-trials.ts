import { groupBy } from './group-by.ts'
import { type SyntaxSummary, summarise } from './summarise.ts'
import type { TrialCase, TrialReport } from './trial-report.ts'

/** Two trials side by side, over the tasks and syntaxes that both have. */
export interface TrialComparison {
  models: readonly [string, string]
  tasks: number
  syntaxes: readonly ComparedSyntax[]
  /** What only one of the trials has. */
  only: readonly [TrialRest, TrialRest]
}

export interface TrialRest {
  syntaxes: readonly string[]
  /** Tasks by name, including those whose content differs. */
  tasks: readonly string[]
}

export interface ComparedSyntax {
  syntax: string
  before: SyntaxSummary
  after: SyntaxSummary
  /** Tasks that the second trial solved more often (`better`) or less often (`worse`). */
  better: readonly string[]
  worse: readonly string[]
  /** The probability of a difference of this size by chance alone, from 0 to 1. */
  chance: number
}

/** Compares two trials task by task. Attempts in which the model could not be called don't count. */
export function compareTrials(before: TrialReport, after: TrialReport): TrialComparison {
  const tasks = sharedTasks(before, after)
  const [a, b] = [pickTasks(before, tasks), pickTasks(after, tasks)]
  const second = new Map(summarise(b).map(one => [one.syntax, one]))
  const shared = summarise(a).filter(({ syntax }) => second.has(syntax))
  const names = new Set(shared.map(({ syntax }) => syntax))
  return {
    models: [before.model, after.model],
    tasks: tasks.size,
    syntaxes: shared.map(one => compareSyntax(one, second.get(one.syntax)!, a.cases, b.cases)),
    only: [findRest(before, tasks, names), findRest(after, tasks, names)],
  }
}

function sharedTasks(before: TrialReport, after: TrialReport): Set<string> {
  const digests = new Map(before.tasks.map(({ name, digest }) => [name, digest]))
  return new Set(after.tasks.filter(({ name, digest }) => digests.get(name) === digest).map(({ name }) => name))
}

function pickTasks({ tasks, cases }: TrialReport, names: ReadonlySet<string>): Pick<TrialReport, 'tasks' | 'cases'> {
  return {
    tasks: tasks.filter(({ name }) => names.has(name)),
    cases: cases.filter(({ task, error }) => names.has(task) && error === undefined),
  }
}

function findRest({ tasks, cases }: TrialReport, shared: ReadonlySet<string>, names: ReadonlySet<string>): TrialRest {
  const syntaxes = [...new Set(cases.map(({ syntax }) => syntax))].filter(name => !names.has(name))
  return { syntaxes, tasks: tasks.map(({ name }) => name).filter(name => !shared.has(name)) }
}

function compareSyntax(
  before: SyntaxSummary,
  after: SyntaxSummary,
  casesBefore: readonly TrialCase[],
  casesAfter: readonly TrialCase[],
): ComparedSyntax {
  const { syntax } = before
  const [a, b] = [solvedShares(casesBefore, syntax), solvedShares(casesAfter, syntax)]
  const both = [...a.keys()].filter(task => b.has(task))
  const better = both.filter(task => b.get(task)! > a.get(task)!)
  const worse = both.filter(task => b.get(task)! < a.get(task)!)
  return { syntax, before, after, better, worse, chance: signTest(better.length, worse.length) }
}

/** The share of solved attempts per task, from 0 to 1. */
function solvedShares(cases: readonly TrialCase[], syntax: string): Map<string, number> {
  const own = cases.filter(one => one.syntax === syntax)
  const shares = [...groupBy(own, ({ task }) => task)].map(([task, group]): [string, number] => [
    task,
    group.filter(({ solved }) => solved).length / group.length,
  ])
  return new Map(shares)
}

/** The two-sided sign test: the probability that at least this many of the differing tasks go one way. */
export function signTest(better: number, worse: number): number {
  const count = better + worse
  // The probability of each number of heads in `count` tosses, as logarithms, so that thousands don't underflow.
  let term = count * Math.log(0.5)
  let tail = 0
  for (let heads = 0; heads <= Math.min(better, worse); heads++) {
    tail += Math.exp(term)
    term += Math.log((count - heads) / (heads + 1))
  }
  return Math.min(1, 2 * tail)
}
