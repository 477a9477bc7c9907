interface JsonFrame {
  item: object
  /** Undefined for a list. */
  keys: readonly string[] | undefined
  values: readonly unknown[]
  at: number
}

/**
 * The JSON text of a plain JSON value, however deeply it is nested; undefined for a value that contains itself.
 * `JSON.stringify` runs out of stack on deep values.
 */
export function deepJson(value: unknown): string | undefined {
  const pieces: string[] = []
  const ancestors = new Set<object>()
  const open: JsonFrame[] = []

  /** Writes a scalar, or the beginning of a list or an object. Returns false if it can't be written. */
  const begin = (item: unknown): boolean => {
    if (typeof item !== 'object' || item === null) {
      pieces.push(JSON.stringify(typeof item === 'bigint' ? String(item) : item) ?? 'null')
      return true
    }
    if (ancestors.has(item)) return false
    ancestors.add(item)
    const keys = Array.isArray(item) ? undefined : Object.keys(item)
    open.push({ item, keys, values: Object.values(item), at: 0 })
    pieces.push(keys === undefined ? '[' : '{')
    return true
  }

  if (!begin(value)) return undefined
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const { item, keys, values, at } = frame
    if (at === values.length) {
      pieces.push(keys === undefined ? ']' : '}')
      ancestors.delete(item)
      open.pop()
      continue
    }
    frame.at++
    if (at > 0) pieces.push(',')
    if (keys !== undefined) pieces.push(`${JSON.stringify(keys[at])}:`)
    if (!begin(values[at])) return undefined
  }
  return pieces.join('')
}
