/** `value` is `true` for a flag. Offsets cover name, `=` and value. */
export interface Attribute {
  name: string
  value: string | true
  start: number
  end: number
}

/** The last one with a name wins. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  for (let i = attributes.length - 1; i >= 0; i--) if (attributes[i]!.name === name) return attributes[i]
  return undefined
}

/** The empty string for a flag. */
export function attributeValue(attributes: readonly Attribute[], name: string): string | undefined {
  const attribute = findAttribute(attributes, name)
  if (attribute === undefined) return undefined
  return attribute.value === true ? '' : attribute.value
}

export function hasFlag(attributes: readonly Attribute[], name: string): boolean {
  return findAttribute(attributes, name) !== undefined
}

/**
 * Decodes the text between two quotes: removes comments, unescapes `\"`, `\'` and `\\` before a quote, decodes
 * entities.
 */
export function readQuoted(raw: string): string {
  let value = raw
  if (value.includes('<!--')) value = dropComments(value)
  if (value.includes('\\')) value = unescapeQuotes(value)
  if (value.includes('&')) value = value.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities.get(name)!)
  return value
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** An unclosed comment extends to the end. */
export function dropComments(text: string): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf('<!--'); at !== -1; at = text.indexOf('<!--', from)) {
    result += text.slice(from, at)
    const end = text.indexOf('-->', at + 4)
    if (end === -1) return result
    from = end + 3
  }
  return result + text.slice(from)
}

/** Backslashes are read in pairs before a quote, and also at the end of the value. */
function unescapeQuotes(value: string): string {
  let result = ''
  let from = 0
  for (let at = value.indexOf('\\'); at !== -1; at = value.indexOf('\\', from)) {
    let end = at
    while (value.charCodeAt(end) === BACKSLASH) end++
    const next = value[end]
    const count = next === undefined || next === '"' || next === "'" ? (end - at) >> 1 : end - at
    result += value.slice(from, at + count)
    from = end
  }
  return result + value.slice(from)
}

const BACKSLASH = 92

/** `readQuoted` returns the same value again, for any string. Uses double quotes, unless single ones save escapes. */
export function quoteAttribute(value: string): string {
  // Most values are ids and words.
  if (!/[&<"'\\]/.test(value)) return `"${value}"`
  const quote = value.includes('"') && !value.includes("'") ? "'" : '"'
  const escaped = value
    .replace(/[&<]/g, character => (character === '&' ? '&amp;' : '&lt;'))
    .replace(/(\\?)(["'])/g, (whole, slash: string, mark: string) =>
      mark === quote || slash !== '' ? slash + (mark === '"' ? '&quot;' : '&apos;') : whole,
    )
  let end = escaped.length
  while (end > 0 && escaped.charCodeAt(end - 1) === BACKSLASH) end--
  return quote + escaped + escaped.slice(end) + quote
}

export function writeAttribute(name: string, value: string | true): string {
  return value === true ? name : `${name}=${quoteAttribute(value)}`
}
