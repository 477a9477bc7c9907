import { firstCharacters } from '../source/surrogates.ts'
import { visibleText } from './visible-text.ts'

/** What a program writes to colour its text, move the cursor, set a title or make a link. */
const escapes = /\u001b(?:\[[\d;:<=>?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g

/** A program's text without colours and other escape sequences. Linear. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(escapes, '') : text
}

/** The lines with something in them. A program that draws over its own line has said what it drew last. */
export function plainLines(text: string): string[] {
  return stripAnsi(text)
    .split(/[\r\n]+/)
    .filter(line => line.trim() !== '')
}

/** Lines whose white space means something, such as a caret under its place: all of it stays but the end's. */
export function keepSpace(lines: readonly string[], limit: number): string {
  const cut = lines.map(line => {
    const visible = visibleText(line.slice(0, limit + 1).trimEnd())
    return visible.length <= limit ? visible : `${firstCharacters(visible, limit)}…`
  })
  return cut.join('\n')
}
