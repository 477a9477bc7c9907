/** An input with both names keeps both, so that the schema rejects the second. */
export function renameKeys(input: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const entries = Object.entries(input).map(([key, value]) => {
    const name = Object.hasOwn(names, key) ? names[key]! : key
    return [Object.hasOwn(input, name) ? key : name, value] as const
  })
  return Object.fromEntries(entries)
}
