import type { Diagnostic } from './diagnostic.ts'
import { createLineCounter, type LineCounter } from './position.ts'
import { beforePair } from './surrogates.ts'

export interface FormatDiagnosticOptions {
  /** How many columns of the line to show; 100 by default. */
  width?: number
}

/**
 * The diagnostic as a terminal shows it: where, what, the line with carets under the position, and the cure.
 *
 *     chat.chatmd:3:1 error CHATMD_TEXT_AT_TOP: Text must be inside an element.
 *       |
 *     3 | Hello
 *       | ^^^^^
 *       = Put it into a message such as `<user>…</user>`, or into a comment.
 *
 * Safe to print: the source's control characters become symbols.
 */
export function formatDiagnostic(
  diagnostic: Diagnostic,
  source: string | LineCounter,
  options: FormatDiagnosticOptions = {},
): string {
  const { code, severity, message, cure, file, range } = diagnostic
  const place = range === undefined ? (file ?? '') : `${file ?? ''}:${range.start.line}:${range.start.column}`
  const head = `${visible(place.replace(/^:/, ''))} ${severity} ${code}: ${visible(message)}`.trimStart()
  if (range === undefined) return cure === undefined ? head : `${head}\n  = ${visible(cure)}`
  const lines = typeof source === 'string' ? createLineCounter(source) : source
  const line = lines.line(range.start.line)
  const from = range.start.column - 1
  const to = range.end.line === range.start.line ? range.end.column - 1 : line.length
  const picture = draw(line, from, Math.max(to, from + 1), options.width ?? 100)
  const number = String(range.start.line)
  const gutter = ' '.repeat(number.length)
  const rows = [head, `${gutter} |`, `${number} | ${picture.line}`, `${gutter} | ${picture.carets}`]
  if (cure !== undefined) rows.push(`${gutter} = ${visible(cure)}`)
  return rows.join('\n')
}

function draw(line: string, from: number, to: number, width: number): { line: string; carets: string } {
  const start =
    line.length <= width
      ? 0
      : beforePair(line, Math.floor(Math.max(0, Math.min(from - width / 4, line.length - width))))
  const end = beforePair(line, Math.floor(Math.min(line.length, start + width)))
  let text = start > 0 ? '…' : ''
  let carets = start > 0 ? ' ' : ''
  let at = start
  for (const character of line.slice(start, end)) {
    const inside = at >= from && at < to
    text += visible(character)
    carets += character === '\t' && !inside ? '\t' : (inside ? '^' : ' ').repeat(columns(character))
    at += character.length
  }
  if (from >= at) carets += '^'
  return { line: end < line.length ? `${text}…` : text, carets: carets.trimEnd() }
}

/** Replaces control characters with symbols, so that a source cannot control the terminal. */
function visible(text: string): string {
  return text.replace(/[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, character => {
    const code = character.charCodeAt(0)
    if (code < 32) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })
}

function columns(character: string): number {
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) return 0
  const code = character.codePointAt(0)!
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  return wide ? 2 : 1
}
