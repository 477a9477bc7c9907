import { LF, SPACE } from '../reader/char-codes.ts'

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
 * The entry of a text that is one line of the simplest YAML, and empty lines after it: a key, and a plain word, a number, a
 * word of JSON or a quoted text. Undefined for all else, which is left to the library; what is read here it would read
 * alike.
 */
export function simpleEntry(text: string): SimpleEntry | undefined {
  const end = text.indexOf('\n')
  if (!hasOnlyBreaks(text, end)) return undefined
  const start = /^( *)([A-Za-z_][\w.-]*): +/.exec(text)
  if (start === null) return undefined
  const [{ length }, indent = '', key = ''] = start
  const value = simpleValue(withoutSpaces(text.slice(length, end)))
  return value === undefined ? undefined : { key, at: indent.length, ...value }
}

/** True when the text from `start` on is one or more line breaks. */
function hasOnlyBreaks(text: string, start: number): boolean {
  if (start < 0) return false
  let at = start
  while (at < text.length && text.charCodeAt(at) === LF) at++
  return at === text.length
}

/** The text without the spaces at its end. */
function withoutSpaces(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) end--
  return text.slice(0, end)
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
