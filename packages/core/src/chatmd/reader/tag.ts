/** Lowercase only; any other name is text. */
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

/** The elements whose data is all in attributes. */
const emptyElements: ReadonlySet<string> = new Set(['config', 'tool', 'doc', 'img', 'import'])

/** The elements with text from a model or a tool: only their own closing tag is read as a tag. */
const literalElements: ReadonlySet<string> = new Set([
  'assistant',
  'tool_call',
  'tool_response',
  'reasoning',
  'summary',
])

const helpers: ReadonlySet<string> = new Set(['doc', 'img', 'agent', 'import'])

/** The elements of a document. Reading recovers at a line that begins with one of their tags. */
const sections: ReadonlySet<string> = new Set(tagNames.filter(name => !helpers.has(name) && name !== 'summary'))

export function isSection(name: TagName): boolean {
  return sections.has(name)
}

export function isEmptyElement(name: TagName): boolean {
  return emptyElements.has(name)
}

export function isLiteral(name: TagName): boolean {
  return literalElements.has(name)
}

export type HelperName = 'doc' | 'img' | 'agent' | 'import'

export function isHelper(name: TagName): name is HelperName {
  return helpers.has(name)
}

/** Space, tab, LF, CR: the white space between elements and between attributes. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** The names by their first letter, so that a name is found without cutting it out of the source. */
const namesByFirstLetter: readonly (readonly TagName[])[] = Array.from({ length: 26 }, (_, letter) =>
  tagNames.filter(name => name.charCodeAt(0) === 97 + letter),
)

/** The tag name that starts at `at`, unless the following characters make it a longer one. */
export function tagNameAt(source: string, at: number): TagName | undefined {
  const candidates = namesByFirstLetter[source.charCodeAt(at) - 97]
  if (candidates === undefined) return undefined
  for (const name of candidates) {
    if (!source.startsWith(name, at)) continue
    const code = source.charCodeAt(at + name.length)
    if ((code >= 97 && code <= 122) || code === 95) continue
    return name
  }
  return undefined
}
