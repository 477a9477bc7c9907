interface JsonFrame {
  item: object
  /** Undefined for a list. */
  keys: readonly string[] | undefined
  values: readonly unknown[]
  at: number
}

/** Works for any depth, where `JSON.stringify` runs out of stack. Undefined for a value that contains itself. */
export function deepJson(value: unknown): string | undefined {
  const pieces: string[] = []
  const ancestors = new Set<object>()
  const open: JsonFrame[] = []

  /** Returns false for a value that contains itself. */
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
