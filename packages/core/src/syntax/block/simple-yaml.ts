/** A `key: value` on one line; `source` is what a plain word looks like, empty for a quoted text. */
export interface SimpleEntry {
  key: string
  /** The index of the key. */
  at: number
  source: string
  value: unknown
}

/** What a plain word may be that is not text: left to the library, or known here. */
const notText = /^(?:~|null|true|false|[-+]?\.?(?:inf|nan))$/i

/**
 * The entry of a text that is one line of the simplest YAML: a key, and a plain word, a number, a word of JSON or a quoted
 * text. Undefined for all else, which is left to the library; what is read here it would read alike.
 */
export function simpleEntry(text: string): SimpleEntry | undefined {
  const match = /^( *)([A-Za-z_][\w.-]*): +([^\n]*?) *\n$/.exec(text)
  if (match === null) return undefined
  const [, indent = '', key = '', source = ''] = match
  const value = simpleValue(source)
  return value === undefined ? undefined : { key, at: indent.length, ...value }
}

function simpleValue(source: string): { source: string; value: unknown } | undefined {
  if (source === 'true' || source === 'false' || source === 'null') return { source, value: JSON.parse(source) }
  if (/^-?(?:0|[1-9]\d{0,14})$/.test(source)) return { source, value: source === '-0' ? 0 : Number(source) }
  if (/^[A-Za-z_/][^\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]*$/.test(source)) {
    if (notText.test(source) || /:(?: |$)| #/.test(source)) return undefined
    return { source, value: source }
  }
  if (/^"(?:[^"\\\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]|\\["\\/nrtbf])*"$/.test(source)) {
    return { source: '', value: JSON.parse(source) }
  }
  return undefined
}
