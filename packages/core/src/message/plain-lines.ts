import { firstCharacters } from '../source/surrogates.ts'
import { visibleText } from './visible-text.ts'

const escapes = /\u001b(?:\[[\d;:<=>?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g

/** Removes colours and other escape sequences. Linear. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(escapes, '') : text
}

/**
 * Lines that aren't empty. A line that a program draws over again and again is one line for each version, the last one
 * last.
 */
export function plainLines(text: string): string[] {
  return stripAnsi(text)
    .split(/[\r\n]+/)
    .filter(line => line.trim() !== '')
}

/** For lines with significant white space, such as a caret under a column: removes only the white space at the end. */
export function joinKeepingSpace(lines: readonly string[], limit: number): string {
  const cut = lines.map(line => {
    const visible = visibleText(line.slice(0, limit + 1).trimEnd())
    return visible.length <= limit ? visible : `${firstCharacters(visible, limit)}…`
  })
  return cut.join('\n')
}
