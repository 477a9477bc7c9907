import { isRecord } from '../source/is-record.ts'
import type { MoreWords } from './more-words.ts'
import { oneLine } from './one-line.ts'
import type { ToolInvocation } from './tool-invocation.ts'

export interface CallSubject {
  text: string
  /** Undefined if the text doesn't come from a single parameter. */
  key: string | undefined
}

/** Parameters that can be a call's subject, best first. */
const subjectKeys = [
  'path',
  'file',
  'file_path',
  'filename',
  'command',
  'arguments',
  'args',
  'query',
  'pattern',
  'url',
  'question',
  'name',
  'title',
  'id',
] as const

/** Search tools: what they look for is more informative than where. */
const searchTools = /grep|glob|search|find(?!.*replace)/i
const searchedKeys = ['pattern', 'query', 'regex'] as const

const LONGEST_SUBJECT = 200
/** A string under any other name is shown if it is at most this long. */
const SHORT_STRING = 80
const MANY_KEYS = 100

/**
 * The parameter that the tool's definition names, or a telling one, or the first short string, or the length of the
 * first list. Grows while the input streams.
 */
export function findSubject(
  call: ToolInvocation,
  declaredKey: string | undefined,
  more: MoreWords | undefined,
): CallSubject | undefined {
  const { input } = call
  if (typeof input === 'string') return toSubject(undefined, input)
  const fields = isRecord(input) ? input : {}
  const candidateKeys = searchTools.test(call.toolName.slice(0, 128)) ? [...searchedKeys, ...subjectKeys] : subjectKeys
  for (const key of declaredKey === undefined ? candidateKeys : [declaredKey, ...candidateKeys]) {
    const subject = Object.hasOwn(fields, key) ? toSubject(key, fields[key]) : undefined
    if (subject !== undefined) return subject
  }
  const keys = Object.keys(fields).slice(0, MANY_KEYS)
  const match = more?.subject(fields)
  return (
    (match && toSubject(match.key, match.value)) ??
    firstShort(keys, fields) ??
    firstList(keys, fields) ??
    changedFile(call.details)
  )
}

function toSubject(key: string | undefined, value: unknown): CallSubject | undefined {
  const text = asText(value)
  const line = text === undefined ? '' : oneLine(text, LONGEST_SUBJECT)
  return line === '' ? undefined : { text: line, key }
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (!Array.isArray(value)) return undefined
  const words = value.slice(0, MANY_KEYS)
  return words.every(word => typeof word === 'string')
    ? words.map(word => word.slice(0, LONGEST_SUBJECT)).join(' ')
    : undefined
}

function firstShort(keys: readonly string[], fields: Record<string, unknown>): CallSubject | undefined {
  for (const key of keys) {
    const value = fields[key]
    const subject = typeof value === 'string' && value.length <= SHORT_STRING ? toSubject(key, value) : undefined
    if (subject !== undefined) return subject
  }
  return undefined
}

/** "2 files": the parameter's name is the unit. */
function firstList(keys: readonly string[], fields: Record<string, unknown>): CallSubject | undefined {
  for (const key of keys) {
    const value = fields[key]
    if (!Array.isArray(value) || typeof value[0] !== 'string') continue
    return value.length === 1
      ? toSubject(key, value[0])
      : toSubject(undefined, `${value.length} ${key.replace(/_/g, ' ')}`)
  }
  return undefined
}

function changedFile(details: unknown): CallSubject | undefined {
  const first: unknown = Array.isArray(details) ? details[0] : details
  const path = isRecord(first) && Object.hasOwn(first, 'path') ? first.path : undefined
  if (typeof path !== 'string') return undefined
  const more = Array.isArray(details) && details.length > 1 ? ` +${details.length - 1}` : ''
  return toSubject('path', `${oneLine(path, LONGEST_SUBJECT - 8)}${more}`)
}
