import type { ApprovalRequest } from '@argot/agent'
import type { ForeseenChange } from '@argot/agent/internal'
import { english, visibleText } from '@argot/core/stream'
import { isInDiff, isRecord, linesInDiff, visibleLine } from '@argot/core/stream/internal'
import type { QuestionSection } from './fit-sections.ts'

/** What users judge a call by: the full command line, the changes, and every parameter that these don't show. */
export function describeCall(request: ApprovalRequest): QuestionSection[] {
  const { subject, changes = [] } = request
  return [
    ...(subject?.kind === 'command' ? [commandSection(subject.words)] : []),
    ...listShownParameters(request).map(([key, value]) => parameterSection(key, value)),
    ...changes.map(changeSection),
  ]
}

/** A command line or a diff already shows some parameters, so they are omitted. */
export function omitsParameters(request: ApprovalRequest): boolean {
  return listShownParameters(request).length < getParameters(request.input).length
}

function listShownParameters({ input, subject, changes = [] }: ApprovalRequest): [string, unknown][] {
  const words = subject?.kind === 'command' ? subject.words : undefined
  const lines = linesInDiff(changes.map(({ diff = '' }) => diff).join('\n'))
  return getParameters(input).filter(
    ([key, value]) => !(words !== undefined && isShownInCommand(value, words)) && !isInDiff(key, value, lines),
  )
}

export function describeWhole(request: ApprovalRequest): QuestionSection[] {
  const { input, changes = [], subject } = request
  const first = subject?.kind === 'command' ? [commandSection(subject.words)] : []
  return [
    ...first,
    ...changes.map(changeSection),
    ...getParameters(input).map(([key, value]) => parameterSection(key, value)),
  ]
}

/** The words of a command line, quoted as for a shell. No shell runs it. */
export function commandSection(words: readonly string[]): QuestionSection {
  return { text: `$ ${words.map(quoteWord).join(' ')}` }
}

/** A parameter with its full value. Multi-line text starts below its name. */
export function parameterSection(key: string, value: unknown): QuestionSection {
  const name = visibleLine(key)
  if (typeof value === 'string' && value.includes('\n')) {
    const lines = visibleText(value).split('\n')
    return { text: [`${name}:`, ...lines.map(line => `  ${line}`)].join('\n') }
  }
  return { text: `${name}: ${describeValue(value, '')}` }
}

/**
 * Formats a value like JSON, but leaves strings unescaped except for hidden characters. Each string has its own lines
 * and a deeper indent, so that it can't be mistaken for something else.
 */
function describeValue(value: unknown, indent: string): string {
  if (typeof value === 'string') return `"${visibleText(value).replaceAll('\n', `\n${indent} `)}"`
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value ?? 'nothing')
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map(one => describeValue(one, inner))
    : Object.entries(value).map(([key, one]) => `"${visibleLine(key)}": ${describeValue(one, inner)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return items.length === 0 ? open + close : `${open}\n${items.map(one => inner + one).join(',\n')}\n${indent}${close}`
}

function getParameters(input: unknown): [string, unknown][] {
  return isRecord(input) ? Object.entries(input) : [['input', input]]
}

function isShownInCommand(value: unknown, words: readonly string[]): boolean {
  if (typeof value === 'string') return words.includes(value) || value === words.join(' ')
  return Array.isArray(value) && value.length > 0 && value.every(one => words.includes(one as string))
}

export function changeSection(change: ForeseenChange): QuestionSection {
  const head = `${visibleLine(change.path)}: ${describeChange(change)}`
  return {
    text: change.diff === undefined || change.diff === '' ? head : `${head}\n${visibleText(withoutEnd(change.diff))}`,
  }
}

function withoutEnd(diff: string): string {
  return diff.endsWith('\n') ? diff.slice(0, -1) : diff
}

/** For example "replaces 120 lines with 3". */
function describeChange({ operation, from, linesBefore, linesAfter, diff = '' }: ForeseenChange): string {
  const [added, removed] = [countMarks(diff, '+'), countMarks(diff, '-')]
  switch (operation) {
    case 'add':
      return `a new file, ${lines(linesAfter ?? added)}`
    case 'delete':
      return `deletes the file, ${lines(linesBefore ?? removed)}`
    case 'move':
      return `moved from ${visibleLine(from ?? '')}, ${lines(added)} added, ${removed} removed`
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

/** Quotes a word if its ends would be invisible otherwise. */
function quoteWord(word: string): string {
  const visibleWord = visibleLine(word)
  return /^[\w@%+=:,./-]+$/.test(visibleWord) ? visibleWord : `'${visibleWord.replaceAll("'", String.raw`'\''`)}'`
}
