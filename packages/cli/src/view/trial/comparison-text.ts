import type { ComparedSyntax, TrialComparison } from '@argot/agent/internal'
import { english } from '@argot/core/stream'
import { textTable } from '../text-table.ts'
import { percent } from './trial-tables.ts'
import { wrapLine } from './wrap-line.ts'

/** Differences that chance produces this often aren't reliable. */
const DOUBTFUL_CHANCE = 0.05
const MOST_NAMES = 10

export function comparisonText(comparison: TrialComparison, files: readonly [string, string], columns: number): string {
  const { models, tasks, syntaxes, only } = comparison
  const lines = [
    `A  ${files[0]}  (${models[0]})`,
    `B  ${files[1]}  (${models[1]})`,
    tasks === 1 ? 'One task in both' : `${english.number(tasks)} tasks in both`,
    '',
    ...(syntaxes.length === 0 ? ['The trials have no syntax in common.'] : formatSyntaxes(syntaxes, columns)),
    ...only.flatMap((rest, index) => describeRest(rest, index === 0 ? 'A' : 'B')),
  ]
  return `${lines.join('\n')}\n`
}

function formatSyntaxes(syntaxes: readonly ComparedSyntax[], columns: number): string[] {
  const head = ['syntax', 'solved A', 'B', 'wrong A', 'B', 'tokens A', 'B', 'time A', 'B', 'tasks']
  const rows = syntaxes.map(({ syntax, before, after, better, worse }) => [
    syntax,
    ...pair(before, after, one => percent(one.solved, one.runs)),
    ...pair(before, after, one => (one.runs === 0 ? '–' : (one.wrongCalls / one.runs).toFixed(2))),
    ...pair(before, after, one => (one.estimated ? '~' : '') + english.number(one.inputTokens + one.outputTokens)),
    ...pair(before, after, one => `${(one.ms / 1000).toFixed(1)} s`),
    `+${better.length} −${worse.length}`,
  ])
  return [...textTable([head, ...rows], columns), ...syntaxes.flatMap(one => describeChanges(one, columns))]
}

function pair<Item>(a: Item, b: Item, write: (one: Item) => string): [string, string] {
  return [write(a), write(b)]
}

function describeChanges({ syntax, better, worse, chance }: ComparedSyntax, columns: number): string[] {
  if (better.length + worse.length === 0) return []
  const doubt = chance > DOUBTFUL_CHANCE ? ' (the difference may be due to chance)' : ''
  return [
    '',
    `${syntax}${doubt}`,
    ...listTasks('solved more often in B', better, columns),
    ...listTasks('solved less often in B', worse, columns),
  ]
}

function listTasks(what: string, tasks: readonly string[], columns: number): string[] {
  if (tasks.length === 0) return []
  return wrapLine(`${what}: ${joinNames(tasks)}`, columns - 2, '  ').map(line => `  ${line}`)
}

function describeRest({ syntaxes, tasks }: TrialComparison['only'][number], name: string): string[] {
  const lines: string[] = []
  if (syntaxes.length > 0) lines.push('', `Syntaxes in ${name} only: ${joinNames(syntaxes)}`)
  if (tasks.length > 0) lines.push('', `Tasks in ${name} only, or with different content: ${joinNames(tasks)}`)
  return lines
}

function joinNames(all: readonly string[]): string {
  const left = all.length - MOST_NAMES
  return all.slice(0, MOST_NAMES).join(', ') + (left > 0 ? `, and ${left} more` : '')
}
