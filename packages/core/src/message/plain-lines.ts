import { firstCharacters } from '../source/surrogates.ts'
import { visibleText } from './visible-text.ts'

const escapes = /\u001b(?:\[[\d;:<=>?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g

/** Removes colours and other escape sequences. Linear. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(escapes, '') : text
}

/** The lines that a terminal would show, except empty ones: of a line redrawn with `\r`, only the last version. Linear. */
export function plainLines(text: string): string[] {
  return lastVersions(stripAnsi(text))
    .split('\n')
    .filter(line => line.trim() !== '')
}

/** The last version of each line. A return that nothing follows redraws nothing, so `\r\n` is a line break. */
export function lastVersions(text: string): string {
  if (!text.includes('\r')) return text
  const lines = text.split('\n').map(line => line.split('\r').findLast(version => version !== '') ?? '')
  return lines.join('\n')
}

/** For lines with significant white space, such as a caret under a column: removes only the white space at the end. */
export function joinKeepingSpace(lines: readonly string[], limit: number): string {
  const cut = lines.map(line => {
    const visible = visibleText(line.slice(0, limit + 1).trimEnd())
    return visible.length <= limit ? visible : `${firstCharacters(visible, limit)}…`
  })
  return cut.join('\n')
}
