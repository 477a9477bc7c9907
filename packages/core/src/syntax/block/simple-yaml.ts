import { LF, SPACE } from '../reader/char-codes.ts'

/** A `key: value` on one line. `source` is a plain word's source text, empty for a quoted text. */
export interface SimpleEntry {
  key: string
  at: number
  source: string
  value: unknown
}

/** Plain words that may not be text. They are left to the library, or handled here. */
const notText = /^(?:~|null|true|false|[-+]?\.?(?:inf|nan))$/i

/**
 * Parses one line of the simplest YAML, with empty lines after it: a key, and a plain word, a number, a JSON word or a
 * quoted text. Returns undefined for anything else, which is left to the library. The library would read the same
 * result.
 */
export function simpleEntry(text: string): SimpleEntry | undefined {
  const end = text.indexOf('\n')
  if (!hasOnlyBreaks(text, end)) return undefined
  const start = /^( *)([A-Za-z_][\w.-]*): +/.exec(text)
  if (start === null) return undefined
  const [{ length }, indent = '', key = ''] = start
  const value = simpleValue(trimEndSpaces(text.slice(length, end)))
  return value === undefined ? undefined : { key, at: indent.length, ...value }
}

function hasOnlyBreaks(text: string, start: number): boolean {
  if (start < 0) return false
  let at = start
  while (at < text.length && text.charCodeAt(at) === LF) at++
  return at === text.length
}

function trimEndSpaces(text: string): string {
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
