export const TAB = 9
export const LF = 10
export const FF = 12
export const CR = 13
export const SPACE = 32
export const DASH = 45
export const SLASH = 47
export const EQUALS = 61
export const BACKTICK = 96
export const TILDE = 126
export const LESS = 60
export const GREATER = 62

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Removes spaces, tabs and CRs around `text`. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlankOrCr(text.charCodeAt(start))) start++
  while (end > start && isBlankOrCr(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

export function isBlankOrCr(code: number): boolean {
  return code === CR || isBlank(code)
}

/** True for a space, tab, CR or LF. */
export function isSpace(code: number): boolean {
  return code === LF || isBlankOrCr(code)
}

export function isQuote(code: number): boolean {
  return code === 34 || code === 39
}

/** Changes only ASCII letters. */
export function toLower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}
