import { safeText } from './safe-text.ts'

/** How to switch a style on and off again. */
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

/** Puts styles around a text; without colours it gives the text as it is. */
export type Paint = (text: string, ...names: readonly Style[]) => string

export function createPaint(colours: boolean): Paint {
  if (!colours) return text => text
  return (text, ...names) =>
    text === '' ? '' : names.reduce((inner, name) => styles[name][0] + inner + styles[name][1], text)
}

const ownStyles = new Set<string>(Object.values(styles).flat())

/** The text with only the styles of this file in it: everything else that could drive a terminal is a symbol. */
export function safePainted(text: string): string {
  if (!text.includes('\x1b')) return safeText(text)
  return text
    .split(/(\x1b\[\d{1,2}m)/)
    .map(piece => (ownStyles.has(piece) ? piece : safeText(piece)))
    .join('')
}

/** Colours are for terminals whose user has not declined them with `NO_COLOR`. */
export function wantsColours(io: { env: Record<string, string | undefined> }, stream: { isTTY?: boolean }): boolean {
  const { NO_COLOR, TERM } = io.env
  return stream.isTTY === true && TERM !== 'dumb' && (NO_COLOR === undefined || NO_COLOR === '')
}
