export interface JsonRow {
  /** The JSON Pointer from the root, which identifies a node. */
  path: string
  depth: number
  /** Undefined for the root. */
  name: string | undefined
  kind: 'list' | 'object' | 'leaf'
  count: number
  isOpen: boolean
  text: string
  isString: boolean
}

const LEVELS_OPEN = 2
/** Deeper lists and objects are shown as `[…]` and `{…}`, unless `isAll` is set. */
const DEEPEST = 64
const LONGEST_TEXT = 2000

/**
 * A value's visible lines, one at a time, so that a long list can be built in slices. `toggled` has the paths whose
 * state is not the default. By default, two levels are open, and in the second only the first of many; with `isAll`,
 * every level is open and no text is cut.
 */
export function* jsonRows(value: unknown, toggled: ReadonlySet<string>, isAll = false): Generator<JsonRow> {
  if (isContainer(value)) yield* childRows(value, '', 0, { toggled, isAll }, true)
  else yield leaf('', 0, undefined, value, isAll)
}

interface Openness {
  toggled: ReadonlySet<string>
  isAll: boolean
}

function* childRows(
  value: object,
  path: string,
  depth: number,
  openness: Openness,
  isFirst: boolean,
): Generator<JsonRow> {
  const { toggled, isAll } = openness
  const isList = Array.isArray(value)
  const names = isList ? undefined : Object.keys(value)
  const count = names === undefined ? (value as unknown[]).length : names.length
  let openItems = 0
  for (let index = 0; index < count; index++) {
    const name = names === undefined ? String(index) : names[index]!
    const child: unknown = (value as Record<string, unknown>)[name]
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (!isContainer(child) || (depth >= DEEPEST && !isAll)) {
      yield leaf(at, depth, name, child, isAll)
      continue
    }
    const size = Array.isArray(child) ? child.length : Object.keys(child).length
    const isDefault = size > 0 && (isAll || (depth < LEVELS_OPEN && isFirst && (depth === 0 || openItems === 0)))
    const isOpen = isDefault !== toggled.has(at)
    openItems++
    yield {
      path: at,
      depth,
      name,
      kind: Array.isArray(child) ? 'list' : 'object',
      count: size,
      isOpen,
      text: '',
      isString: false,
    }
    if (isOpen) yield* childRows(child, at, depth + 1, openness, isFirst && isDefault)
  }
}

function leaf(path: string, depth: number, name: string | undefined, value: unknown, isAll: boolean): JsonRow {
  const isString = typeof value === 'string'
  return { path, depth, name, kind: 'leaf', count: 0, isOpen: false, text: formatValue(value, isAll), isString }
}

function formatValue(value: unknown, isAll: boolean): string {
  if (typeof value === 'string') return isAll ? value : cut(value)
  if (value === undefined) return 'undefined'
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  return Array.isArray(value) ? '[…]' : '{…}'
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
