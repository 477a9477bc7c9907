/** The closed vocabulary. Lowercase only; any other name is text. */
export const tagNames = [
  'msg',
  'user',
  'assistant',
  'system',
  'developer',
  'tool',
  'tool_call',
  'tool_response',
  'doc',
  'img',
  'agent',
  'import',
  'reasoning',
  'summary',
  'config',
] as const

export type TagName = (typeof tagNames)[number]

const names: ReadonlyMap<string, TagName> = new Map(tagNames.map(name => [name, name]))

/** The elements of which a document consists. A tag of one of these at the start of a line is where reading recovers. */
const sections: ReadonlySet<string> = new Set([
  'msg',
  'user',
  'assistant',
  'system',
  'developer',
  'tool',
  'tool_call',
  'tool_response',
  'reasoning',
  'config',
])

/** The elements that say everything in their attributes. */
const empties: ReadonlySet<string> = new Set(['config', 'tool', 'doc', 'img', 'import'])

/** The elements that stand inside a message. */
const helpers: ReadonlySet<string> = new Set(['doc', 'img', 'agent', 'import'])

export function isSection(name: TagName): boolean {
  return sections.has(name)
}

export function isEmptyElement(name: TagName): boolean {
  return empties.has(name)
}

export type HelperName = 'doc' | 'img' | 'agent' | 'import'

export function isHelper(name: TagName): name is HelperName {
  return helpers.has(name)
}

/** Space, tab, LF, CR: what may stand between elements and between attributes. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

const LONGEST_NAME = 13

/** The recognised name that starts at `at`, whatever follows it. */
export function tagNameAt(source: string, at: number): TagName | undefined {
  let end = at
  const limit = at + LONGEST_NAME + 1
  while (end < limit) {
    const code = source.charCodeAt(end)
    if ((code >= 97 && code <= 122) || code === 95) end++
    else break
  }
  return end > at ? names.get(source.slice(at, end)) : undefined
}
