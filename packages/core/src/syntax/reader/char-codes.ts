export const TAB = 9
export const LF = 10
export const CR = 13
export const SPACE = 32
export const QUOTE = 34
export const HASH = 35
export const APOSTROPHE = 39
export const OPEN_PAREN = 40
export const CLOSE_PAREN = 41
export const STAR = 42
export const PLUS = 43
export const COMMA = 44
export const MINUS = 45
export const DOT = 46
export const SLASH = 47
export const COLON = 58
export const LESS = 60
export const GREATER = 62
export const OPEN_BRACKET = 91
export const BACKSLASH = 92
export const CLOSE_BRACKET = 93
export const CARET = 94
export const BACKTICK = 96
export const OPEN_BRACE = 123
export const PIPE = 124
export const CLOSE_BRACE = 125
export const TILDE = 126

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** `text` without the blanks and CRs around it. */
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

/** True for blanks and line breaks. */
export function isSpace(code: number): boolean {
  return code === LF || isBlankOrCr(code)
}
