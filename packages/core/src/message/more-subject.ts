import { oneLine } from './one-line.ts'

const MANY_KEYS = 100
/** A value under any other name is shown if it is at most this long. */
const SHORT_STRING = 80
const SEARCHED_LENGTH = 4000

const endKeys = [
  ['from', 'to'],
  ['origin', 'destination'],
  ['source', 'destination'],
  ['source', 'target'],
  ['old_path', 'new_path'],
] as const

/** These say how something is done, not what. */
const optionKeys =
  /^(?:repo_path|cwd|workdir|units?|format|lang|language|locale|limit|count|max|min|per|page|mode|type|sort|order|encoding|time_?zone|timeout|depth|offset|size|model|temperature|explanation|description|thought|thoughtnumber|cursor|ref|is|top)(?:$|_(?!id$)|results?$|count$|size$|tokens$|number$)/i

export interface RawSubject {
  key: string | undefined
  value: unknown
}

/** For parameters without telling names: a path, two ends ("LHR → JFK"), up to two short values. */
export function guessSubject(fields: Record<string, unknown>): RawSubject | undefined {
  const keys = Object.keys(fields).slice(0, MANY_KEYS)
  const path = keys.find(
    key => /(?:^|_)(?:path|file)$|(?:Path|File)$/.test(key) && !optionKeys.test(key) && typeof fields[key] === 'string',
  )
  return (
    (path === undefined ? undefined : { key: 'path', value: fields[path] }) ??
    repository(fields) ??
    bothEnds(fields) ??
    patchedFile(fields) ??
    firstShort(keys, fields) ??
    firstList(keys, fields)
  )
}

/** "acme/app #12" */
function repository(fields: Record<string, unknown>): RawSubject | undefined {
  const [owner, repo, number] = [
    shortText(fields, 'owner'),
    shortText(fields, 'repo'),
    ['issue_number', 'pull_number', 'pullNumber', 'number'].map(key => shortText(fields, key)).find(Boolean),
  ]
  if (owner === undefined || repo === undefined) return undefined
  return { key: undefined, value: `${owner}/${repo}${number === undefined ? '' : ` #${number}`}` }
}

/** "LHR → JFK" */
function bothEnds(fields: Record<string, unknown>): RawSubject | undefined {
  for (const pair of endKeys) {
    const [start, end] = pair.map(key => shortText(fields, key))
    if (start !== undefined && end !== undefined) return { key: 'path', value: `${start} → ${end}` }
  }
  return undefined
}

/** The first two short values, of which one may be a number: "Oslo · Norway". */
function firstShort(keys: readonly string[], fields: Record<string, unknown>): RawSubject | undefined {
  const telling = keys.filter(key => !optionKeys.test(key) && shortText(fields, key) !== undefined)
  const first = telling.find(key => typeof fields[key] === 'string') ?? telling[0]
  if (first === undefined) {
    const any = keys.find(key => typeof fields[key] === 'string' && shortText(fields, key) !== undefined)
    return any === undefined ? undefined : { key: any, value: fields[any] }
  }
  const second = telling.find(key => key !== first)
  const text = [first, second].map(key => key && shortText(fields, key)).filter(Boolean)
  return { key: second === undefined ? first : undefined, value: text.join(' · ') }
}

function shortText(fields: Record<string, unknown>, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (typeof value !== 'string' || value.length > SHORT_STRING) return undefined
  return oneLine(value, SHORT_STRING) || undefined
}

/** "2 files": the parameter's name is the unit. */
function firstList(keys: readonly string[], fields: Record<string, unknown>): RawSubject | undefined {
  for (const key of keys) {
    const value = fields[key]
    if (!Array.isArray(value) || value.length === 0) continue
    if (value.length > 1 && (key.endsWith('s') || typeof value[0] === 'string'))
      return { key: undefined, value: `${value.length} ${key.replace(/_/g, ' ')}` }
    if (typeof value[0] === 'string') return { key: key, value: value[0] }
  }
  return undefined
}

function patchedFile(fields: Record<string, unknown>): RawSubject | undefined {
  for (const key of ['patch', 'input', 'diff']) {
    const text = Object.hasOwn(fields, key) ? fields[key] : undefined
    const file =
      typeof text === 'string'
        ? /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/m.exec(text.slice(0, SEARCHED_LENGTH))?.[1]
        : undefined
    if (file !== undefined) return { key: 'path', value: file }
  }
  return undefined
}
