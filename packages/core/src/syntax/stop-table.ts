/**
 * Why a scan of a line's body stops at a character: for Markdown itself, or because a call or a tag may begin there.
 */
export const STOP = 1
export const MARK = 2
export const TAG = 3

/**
 * For each code below 128: 0, or why a scan stops there. Then the marks and tags beyond 127, where either may begin.
 */
export interface StopTable {
  readonly ascii: Uint8Array
  readonly wide: ReadonlySet<number> | undefined
}

const tables = new Map<string, StopTable>()

/** Marks win over tags, and both over Markdown's own stops. Tables are cached. */
export function stopTable(markdownStops: readonly number[], tags: string, marks: string): StopTable {
  const name = `${markdownStops.length} ${tags} ${marks}`
  let table = tables.get(name)
  if (table === undefined) {
    table = createTable(markdownStops, tags, marks)
    tables.set(name, table)
  }
  return table
}

function createTable(markdownStops: readonly number[], tags: string, marks: string): StopTable {
  const ascii = new Uint8Array(128)
  const wide = new Set<number>()
  for (const code of markdownStops) ascii[code] = STOP
  for (const character of tags) {
    const code = character.charCodeAt(0)
    if (code < 128) ascii[code] = TAG
    else wide.add(code)
  }
  for (const character of marks) {
    const code = character.charCodeAt(0)
    if (code < 128) ascii[code] = MARK
    else wide.add(code)
  }
  return { ascii, wide: wide.size === 0 ? undefined : wide }
}
