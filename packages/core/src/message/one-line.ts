import { firstCharacters } from '../source/surrogates.ts'

/** The beginning of a text as one line with single spaces, at most `limit` characters and an ellipsis. */
export function oneLine(text: string, limit: number): string {
  // Blanks at the start take no room: a little more is looked at than is shown.
  const start = text.length > limit * 2 ? text.slice(0, limit * 2) : text
  const line = start.replace(/\s+/g, ' ').trim()
  if (line.length <= limit && start.length === text.length) return line.toWellFormed()
  return line === '' ? '' : `${firstCharacters(line, limit)}…`.toWellFormed()
}
