import { isRecord } from '@argot/core/stream/internal'

/** Records with the same fields, as columns and cells. Cells are the original values, or undefined if missing. */
export interface Table {
  columns: readonly string[]
  rows: readonly (readonly unknown[])[]
  /** By column: every value is a number. */
  numeric: readonly boolean[]
  /** Values next to the list: a count, a page. */
  rest: readonly (readonly [name: string, value: string])[]
}

const MOST_COLUMNS = 24
const MOST_ROWS = 100_000
/** This many records determine the columns. */
const CHECKED_RECORDS = 200
const MOST_REST = 8
const LONGEST_REST = 200
/** A cell may hold a small nested value, but a table of trees is a tree. */
const MOST_NESTED = 0.34

const listKeys = ['rows', 'records', 'items', 'results', 'data', 'entries', 'values'] as const

/** A list of records with equal fields, alone or next to a few plain values; undefined for any other value. */
export function readTable(value: unknown): Table | undefined {
  if (Array.isArray(value)) return toTable(value, [])
  if (!isRecord(value)) return undefined
  const key = listKeys.find(one => Object.hasOwn(value, one) && Array.isArray(value[one]))
  if (key === undefined) return undefined
  const others = Object.keys(value).filter(one => one !== key)
  if (others.length > MOST_REST) return undefined
  const rest: [string, string][] = []
  for (const name of others) {
    const one = value[name]
    const text = String(one)
    if ((typeof one === 'object' && one !== null) || text.length > LONGEST_REST || text.includes('\n')) return undefined
    rest.push([name, text])
  }
  return toTable(value[key] as unknown[], rest)
}

function toTable(list: readonly unknown[], rest: Table['rest']): Table | undefined {
  if (list.length < 2 || list.length > MOST_ROWS || !list.every(isPlain)) return undefined
  const columns = readColumns(list)
  if (columns === undefined) return undefined
  const rows = list.map(record => columns.map(name => (Object.hasOwn(record, name) ? record[name] : undefined)))
  const isFull = list.every(record => Object.keys(record).every(name => columns.includes(name)))
  const nested = rows.slice(0, CHECKED_RECORDS).reduce((sum, row) => sum + row.filter(isNested).length, 0)
  const cells = Math.min(rows.length, CHECKED_RECORDS) * columns.length
  if (!isFull || nested > cells * MOST_NESTED) return undefined
  return { columns, rows, numeric: columns.map((_, at) => isNumeric(rows, at)), rest }
}

/** The first records' fields; undefined if they differ too much to be of one kind. */
function readColumns(list: readonly Record<string, unknown>[]): string[] | undefined {
  const names = new Set<string>()
  let filled = 0
  const some = list.slice(0, CHECKED_RECORDS)
  for (const record of some) {
    const keys = Object.keys(record)
    filled += keys.length
    for (const key of keys) names.add(key)
    if (names.size > MOST_COLUMNS) return undefined
  }
  const isEqual = filled >= some.length * names.size * 0.7
  return names.size >= 2 && isEqual ? [...names] : undefined
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !ArrayBuffer.isView(value)
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isNumeric(rows: Table['rows'], at: number): boolean {
  let count = 0
  for (const row of rows) {
    const value = row[at]
    if (value === undefined || value === null) continue
    if (typeof value !== 'number') return false
    count++
  }
  return count > 0
}

/** The order of two cells: numbers by size, texts in natural order, missing values at the end. */
export function compareCells(one: unknown, two: unknown): number {
  const rank = (value: unknown): number =>
    value === undefined || value === null ? 2 : typeof value === 'number' ? 0 : 1
  if (rank(one) !== rank(two)) return rank(one) - rank(two)
  if (typeof one === 'number' && typeof two === 'number') return one - two
  return collator.compare(cellText(one), cellText(two))
}

const collator = new Intl.Collator(undefined, { numeric: true })

/** JSON for a nested value. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return String(value)
  }
}
