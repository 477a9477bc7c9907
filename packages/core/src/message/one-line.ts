import { firstCharacters } from '../source/surrogates.ts'
import { visibleText } from './visible-text.ts'

/** Without U+FEFF, U+2028 and U+2029, which `visibleText` escapes. */
const whiteSpace = /[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g

/**
 * The beginning of a text as one line with single spaces, at most `limit` characters and an ellipsis. Hidden characters
 * are escaped.
 */
export function oneLine(text: string, limit: number): string {
  // Spaces at the start take no room, so this reads a little more than is shown.
  const start = text.length > limit * 2 ? text.slice(0, limit * 2) : text
  const line = visibleText(start.replace(whiteSpace, ' ').trim())
  if (line.length <= limit && start.length === text.length) return line
  return line === '' ? '' : `${firstCharacters(line, limit)}…`
}
