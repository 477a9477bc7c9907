import { isRecord } from '../source/is-record.ts'
import type { CallLocale, CallUnit } from './call-locale.ts'
import type { ChangedLines } from './count-diff.ts'
import type { MoreWords } from './more-words.ts'
import { oneLine } from './one-line.ts'
import { lastVersions, stripAnsi } from './plain-lines.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/** A value up to this length is its own result. */
const SHORT_VALUE = 24
const LONGEST_SUMMARY = 80
/** A longer text is no short value, with or without its colours. */
const LONGEST_COLOURED = 400
/** If an error states a program's exit status, it does so within this many characters. */
const STATUS_LENGTH = 200

const lists: readonly [field: string, unit: CallUnit][] = [
  ['matches', 'match'],
  ['results', 'result'],
  ['items', 'item'],
]

/**
 * The tool's own summary, how a program ended, what changed, or otherwise how much there is. Undefined if only the body
 * can show it. `subjectKey` is the parameter shown beside it.
 */
export function formatResult(
  call: ToolInvocation,
  subjectKey: string | undefined,
  locale: CallLocale,
  more: MoreWords | undefined,
): string | undefined {
  const { output, details } = call
  const summary = isRecord(details) ? oneLine(stripAnsi(ownString(details, 'summary') ?? ''), LONGEST_SUMMARY) : ''
  if (summary !== '') return summary
  const status = readExitStatus(output, details)
  if (typeof status === 'number') return locale.exit(status)
  const changed = changedLines(details, more) ?? changedLines(output, more)
  if (changed !== undefined) return locale.diff(changed.added, changed.removed)
  const files = getFileNames(output)
  if (files.length === 0) return more?.result(call, subjectKey, locale) ?? formatAmount(output, locale)
  return (files.length === 1 && oneLine(files[0]!, LONGEST_SUMMARY)) || locale.count(files.length, 'file')
}

/**
 * From an AI SDK or MCP output; the media type for a file without a name. `readContent` returns the files themselves,
 * which a row doesn't need.
 */
function getFileNames(output: unknown): string[] {
  const list: unknown = isRecord(output) ? output[output.type === 'content' ? 'value' : 'content'] : output
  return (Array.isArray(list) ? list : []).filter(isRecord).flatMap(piece => {
    const type = ownString(piece, 'mediaType') ?? ownString(piece, 'mimeType')
    const hasFile = 'data' in piece || 'url' in piece
    return type !== undefined && hasFile ? [ownString(piece, 'filename') ?? type] : []
  })
}

/** "84 lines", "12 items", "3 matches", or the value itself if it is short. */
export function formatAmount(value: unknown, locale: CallLocale): string | undefined {
  switch (typeof value) {
    case 'string':
      return formatTextAmount(value, locale)
    case 'number':
      return Number.isFinite(value) ? locale.number(value) : undefined
    case 'boolean':
      return String(value)
    default:
      return Array.isArray(value) ? locale.count(value.length, 'item') : formatFieldsAmount(value, locale)
  }
}

function formatTextAmount(text: string, locale: CallLocale): string | undefined {
  const plain = text.length > LONGEST_COLOURED ? text : lastVersions(stripAnsi(text))
  if (plain.length > SHORT_VALUE || plain.trim().includes('\n')) return locale.count(countLines(text), 'line')
  const line = oneLine(plain, SHORT_VALUE)
  return line === '' ? undefined : line
}

function formatFieldsAmount(value: unknown, locale: CallLocale): string | undefined {
  if (!isRecord(value)) return undefined
  for (const [field, unit] of lists) {
    const list = Object.hasOwn(value, field) ? value[field] : undefined
    if (Array.isArray(list)) return locale.count(list.length, unit)
  }
  return undefined
}

export type ExitStatus = number | string

export function readExitStatus(output: unknown, details: unknown): ExitStatus | undefined {
  for (const value of [details, output]) {
    if (!isRecord(value)) continue
    for (const field of ['exitCode', 'exit_code']) {
      const code = Object.hasOwn(value, field) ? value[field] : undefined
      if (Number.isInteger(code)) return code as number
    }
    const signal = ownString(value, 'signal') ?? ''
    if (/^SIG[A-Z\d]{2,10}$/.test(signal)) return signal
  }
  return undefined
}

/** "exit 1", "exited with code 1". */
export function parseExitStatus(errorText: string): number | undefined {
  const status = /\bexit(?:ed)?(?: with)?(?: (?:code|status))?:? (\d{1,3})\b/i.exec(errorText.slice(0, STATUS_LENGTH))
  return status === null ? undefined : Number(status[1])
}

/** The tool's own numbers, for one or several files, or otherwise those of its diff. */
function changedLines(value: unknown, more: MoreWords | undefined): ChangedLines | undefined {
  const files: readonly unknown[] = Array.isArray(value) ? value : [value]
  const sum = { added: 0, removed: 0 }
  for (const file of files) {
    const change = readChange(file, more)
    if (change === undefined) return undefined
    sum.added += change.added
    sum.removed += change.removed
  }
  return files.length === 0 ? undefined : sum
}

function readChange(value: unknown, more: MoreWords | undefined): ChangedLines | undefined {
  if (typeof value === 'string') return more?.countDiff(value)
  if (!isRecord(value)) return undefined
  const added = Object.hasOwn(value, 'added') ? value.added : undefined
  const removed = Object.hasOwn(value, 'removed') ? value.removed : undefined
  if (isCount(added) && isCount(removed)) return { added, removed }
  return more?.countDiff(ownString(value, 'diff') ?? '')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A line break at the end doesn't begin another line. */
function countLines(text: string): number {
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

function ownString(fields: Record<string, unknown>, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined
  return typeof value === 'string' ? value : undefined
}
