import { isRecord } from '../source/is-record.ts'
import type { CallLocale, CallUnit } from './call-locale.ts'
import { oneLine } from './one-line.ts'

type OutputFields = Record<string, unknown>

const MAX_KEYS = 100
const SHORT_VALUE = 24
/** A single text may be a little longer. */
const ONLY_VALUE = 60
const LONGEST_ID = 16
const MOST_VALUES = 3
const MAX_DEPTH = 3
const LONGEST_ADDRESS = 2000

const lists: readonly [field: string, unit: CallUnit][] = [
  ['matches', 'match'],
  ['results', 'result'],
  ['items', 'item'],
  ['files', 'file'],
  ['lines', 'line'],
]
const idKeys = ['number', 'iid', 'issue_number', 'key', 'identifier', 'id'] as const
const linkKeys = ['html_url', 'web_url', 'permalink', 'webViewLink', 'url', 'link', 'href', 'self'] as const
/** Success, authors and times add nothing to the result. */
const uninformativeKeys =
  /^(?:ok|success|successful|done|type|kind|object|created|updated|version|ts|_.*|.*(?:_at|At|_id|Id|stamp))$/
const degreeKeys = /^(?:temp|temperature|celsius|fahrenheit|feels_?like)/i
/** Numbers don't need these names. */
const unnamedNumberKeys = /^(?:value|result|answer|output|amount|price|rate|number)$/i

export interface FieldContext {
  locale: CallLocale
  /** The input's values in lower case: an output that repeats them adds nothing. */
  echo: ReadonlySet<string>
}

/** The length of its list, its id and whether it has a link ("#12 ↗"), or up to three of its values ("22° · sunny"). */
export function describeFields(fields: OutputFields, context: FieldContext, depth = 0): string | undefined {
  const { locale } = context
  for (const [field, unit] of lists) {
    const list = ownValue(fields, field)
    if (Array.isArray(list)) return locale.count(list.length, unit)
  }
  const keys = Object.keys(fields).slice(0, MAX_KEYS)
  const arrow = getLink(fields) === undefined ? '' : ' ↗'
  const id = idKeys.map(key => toId(key, ownValue(fields, key))).find(text => text !== undefined)
  if (id !== undefined && arrow !== '') return id + arrow
  const arrays = keys.filter(key => Array.isArray(fields[key]))
  if (arrays.length === 1) return describeList(arrays[0]!, fields[arrays[0]!] as unknown[], locale)
  const values = keys.map(key => describeField(key, fields[key], context)).filter(text => text !== undefined)
  if (values.length > 0) return [...new Set(values)].slice(0, MOST_VALUES).join(' · ') + arrow
  const text = keys.map(key => describeText(key, fields[key], ONLY_VALUE, context)).find(one => one !== undefined)
  if (text !== undefined) return text + arrow
  if (arrow !== '') return toHost(getLink(fields)) + arrow
  const inner = keys.map(key => fields[key]).filter(isRecord)
  return depth < MAX_DEPTH && inner.length > 0 ? describeFields(inner[0]!, context, depth + 1) : undefined
}

function getLink(fields: OutputFields): string | undefined {
  return linkKeys.map(key => ownValue(fields, key)).find(isWebAddress) as string | undefined
}

function isWebAddress(value: unknown): boolean {
  return toAddress(value) !== undefined
}

/** `describeFields` marks this address with ↗. It is the object's, or that of the nested object it describes. */
export function readLink(value: unknown, depth = 0): string | undefined {
  if (!isRecord(value)) return undefined
  const link = toAddress(getLink(value))
  if (link !== undefined || depth >= MAX_DEPTH) return link
  return readLink(Object.values(value).slice(0, MAX_KEYS).find(isRecord), depth + 1)
}

/**
 * A web address as a browser opens it: in ASCII, so that no host looks like another. Undefined for one with a user name
 * or a password, which hides its host.
 */
function toAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || !/^https?:\/\/[^\s\\/][^\s\\]*$/i.test(value))
    return undefined
  try {
    const { protocol, username, password, hostname, href } = new URL(value)
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === '' && hostname !== ''
    return isPlain && href.length <= LONGEST_ADDRESS ? href : undefined
  } catch {
    return undefined
  }
}

/** "#12", "PROJ-12", "b7f2"; undefined for an id that means nothing to people. */
function toId(key: string, value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return `#${value}`
  const text = toText(value, LONGEST_ID)
  return text === undefined || (key === 'key' && !/^[A-Z][A-Z\d]*-\d+$/.test(text)) ? undefined : text
}

/** "3 issues": the field's name is the unit. */
function describeList(key: string, { length }: readonly unknown[], locale: CallLocale): string {
  const isNoun = length !== 1 && /^[A-Za-z_]{3,24}s$/.test(key)
  return isNoun ? `${locale.number(length)} ${toWords(key)}` : locale.count(length, 'item')
}

function describeField(key: string, value: unknown, context: FieldContext): string | undefined {
  if (typeof value === 'string') return describeText(key, value, SHORT_VALUE, context)
  if (uninformativeKeys.test(key)) return undefined
  if (typeof value === 'number' && Number.isFinite(value) && isInformative(String(value), context)) {
    return describeNumber(key, value, context.locale)
  }
  if (typeof value !== 'boolean' || (!value && /^(?:is|has)/.test(key))) return undefined
  return oneLine(value ? toWords(key) : `${toWords(key)}: false`, SHORT_VALUE) || undefined
}

/** Only a string that is short and not an address, a time or a long id; for a picture, its type. */
function describeText(key: string, value: unknown, limit: number, context: FieldContext): string | undefined {
  if (
    typeof value !== 'string' ||
    uninformativeKeys.test(key) ||
    isWebAddress(value) ||
    /^\d{4}-\d\d-\d\dT/.test(value)
  )
    return undefined
  const type = /^data:(image\/[\w.+-]{1,40})[;,]/i.exec(value.slice(0, 60))?.[1]
  const text = type ?? (/^(?:id|identifier)$/.test(key) ? toId(key, value) : toText(value, limit))
  return isInformative(text, context) ? text : undefined
}

function isInformative(text: string | undefined, { echo }: FieldContext): text is string {
  return text !== undefined && !/^(?:ok|success|true)$/i.test(text) && !echo.has(text.toLowerCase())
}

function describeNumber(key: string, value: number, locale: CallLocale): string {
  if (degreeKeys.test(key)) return `${locale.number(value)}°`
  if (/percent|humidity/i.test(key)) return `${locale.number(value)} %`
  if (key === 'id') return toId(key, value) ?? locale.number(value)
  const words = oneLine(toWords(key), SHORT_VALUE)
  if (unnamedNumberKeys.test(key) || words === '') return locale.number(value)
  return /[^s]s$/.test(words) && value !== 1 ? `${locale.number(value)} ${words}` : `${words} ${locale.number(value)}`
}

/** "createdItems" and "created_items" as "created items". */
function toWords(key: string): string {
  return key
    .slice(0, SHORT_VALUE * 2)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\s-]+/g, ' ')
    .toLowerCase()
}

function toText(value: unknown, limit: number): string | undefined {
  if (typeof value !== 'string' || value.length > limit || /\n./.test(value)) return undefined
  const line = oneLine(value, limit)
  return line === '' || line.length > limit ? undefined : line
}

/** The first two hosts, and how many more there are. */
export interface CallSources {
  hosts: readonly string[]
  more: number
}

export function readSources(value: unknown): CallSources | undefined {
  const list = Array.isArray(value)
    ? value
    : ['results', 'sources', 'items', 'data'].map(key => isRecord(value) && ownValue(value, key)).find(Array.isArray)
  const hosts = new Set<string>()
  for (const one of (list ?? []).slice(0, MAX_KEYS)) {
    const host = isRecord(one) ? toHost(getLink(one)) : ''
    if (host !== '') hosts.add(host)
  }
  return hosts.size === 0 ? undefined : { hosts: [...hosts].slice(0, 2), more: Math.max(0, hosts.size - 2) }
}

function toHost(address: string | undefined): string {
  try {
    return oneLine(new URL(address ?? '').hostname.replace(/^www\./, ''), ONLY_VALUE)
  } catch {
    return ''
  }
}

function ownValue(fields: OutputFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}
