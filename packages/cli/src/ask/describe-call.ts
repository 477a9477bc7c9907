import type { ApprovalRequest } from '@argot/agent'
import type { ForeseenChange } from '@argot/agent/workshop'
import { english, isRecord } from 'argot/stream'
import type { Section } from './fit-sections.ts'
import { showHidden } from './show-hidden.ts'

/** A text parameter up to this length is shown beside a diff that holds it. */
const SHORT = 120

/** What a person judges a call by: the complete command line, what it would change, and its parameters. */
export function describeCall({ input, subject, changes = [] }: ApprovalRequest): Section[] {
  if (subject?.kind === 'command') return [commandSection(subject.words)]
  const parameters = parametersOf(input).filter(([, value]) => changes.length === 0 || !isLong(value))
  return [...parameters.map(([key, value]) => parameterSection(key, value)), ...changes.map(changeSection)]
}

/** Everything that the call is, for reading at leisure: its parameters too, where a diff is shown in their place. */
export function describeWhole(request: ApprovalRequest): Section[] {
  const { input, changes = [], subject } = request
  const first = subject?.kind === 'command' ? [commandSection(subject.words)] : changes.map(changeSection)
  return [...first, ...parametersOf(input).map(([key, value]) => parameterSection(key, value))]
}

/** The words of a command line as a shell would take them, though there is none. */
export function commandSection(words: readonly string[]): Section {
  return { text: `$ ${words.map(quoteWord).join(' ')}` }
}

export function parameterSection(key: string, value: unknown): Section {
  const name = showHidden(key)
  if (typeof value === 'string' && value.includes('\n')) {
    return { text: [`${name}:`, ...value.split('\n').map(line => `  ${plain(line)}`)].join('\n') }
  }
  return { text: `${name}: ${plainLines(JSON.stringify(value, null, 2) ?? 'nothing')}` }
}

function parametersOf(input: unknown): [string, unknown][] {
  return isRecord(input) ? Object.entries(input) : [['input', input]]
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && (value.length > SHORT || value.includes('\n'))
}

function changeSection(change: ForeseenChange): Section {
  const head = `${showHidden(change.path)}: ${describeChange(change)}`
  return {
    text: change.diff === undefined || change.diff === '' ? head : `${head}\n${plainLines(change.diff.trimEnd())}`,
  }
}

/** "replaces 120 lines with 3", in words. */
function describeChange({ operation, from, linesBefore, linesAfter, diff = '' }: ForeseenChange): string {
  const [added, removed] = [countMarks(diff, '+'), countMarks(diff, '-')]
  switch (operation) {
    case 'add':
      return `a new file, ${lines(linesAfter ?? added)}`
    case 'delete':
      return `deletes the file, ${lines(linesBefore ?? removed)}`
    case 'move':
      return `moved from ${showHidden(from ?? '')}, ${lines(added)} added, ${removed} removed`
    case 'update':
      if (linesBefore === undefined && linesAfter !== undefined)
        return `replaces the file, which is not text, with ${lines(linesAfter)}`
      if (diff === '') return 'changes nothing'
      if (linesBefore !== undefined && linesBefore > 0 && removed === linesBefore)
        return `replaces all ${lines(linesBefore)} with ${linesAfter ?? added}`
      if (removed === 0) return `adds ${lines(added)}`
      return `replaces ${lines(removed)}${linesBefore === undefined ? '' : ` of ${linesBefore}`} with ${added}`
  }
}

function lines(count: number): string {
  return `${english.number(count)} ${count === 1 ? 'line' : 'lines'}`
}

function countMarks(diff: string, mark: '+' | '-'): number {
  return diff.split('\n').filter(line => line.startsWith(mark)).length
}

/** A word as it is, or in quotes where its ends could not be seen. */
function quoteWord(word: string): string {
  const shown = showHidden(word)
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`
}

function plain(line: string): string {
  return showHidden(line.replaceAll('\t', '    '))
}

function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n')
}
