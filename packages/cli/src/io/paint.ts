import { safeText } from './safe-text.ts'

const styles = {
  bold: ['\x1b[1m', '\x1b[22m'],
  dim: ['\x1b[2m', '\x1b[22m'],
  italic: ['\x1b[3m', '\x1b[23m'],
  underline: ['\x1b[4m', '\x1b[24m'],
  red: ['\x1b[31m', '\x1b[39m'],
  green: ['\x1b[32m', '\x1b[39m'],
  yellow: ['\x1b[33m', '\x1b[39m'],
  cyan: ['\x1b[36m', '\x1b[39m'],
} as const

export type Style = keyof typeof styles

/** Adds styles to a text. Without colours the text is unchanged. */
export type Paint = (text: string, ...names: readonly Style[]) => string

export function createPaint(colours: boolean): Paint {
  if (!colours) return text => text
  return (text, ...names) =>
    text === '' ? '' : names.reduce((inner, name) => styles[name][0] + inner + styles[name][1], text)
}

const ownStyles = new Set<string>(Object.values(styles).flat())

/** Keeps only the styles of this file. Other characters that could control a terminal become symbols. */
export function safePainted(text: string): string {
  if (!text.includes('\x1b')) return safeText(text)
  return text
    .split(/(\x1b\[\d{1,2}m)/)
    .map(piece => (ownStyles.has(piece) ? piece : safeText(piece)))
    .join('')
}

/** On terminals, except dumb ones, unless the user sets `NO_COLOR`. */
export function wantsColours(io: { env: Record<string, string | undefined> }, stream: { isTTY?: boolean }): boolean {
  const { NO_COLOR, TERM } = io.env
  return stream.isTTY === true && TERM !== 'dumb' && (NO_COLOR === undefined || NO_COLOR === '')
}
