import { isNameCode } from '../names.ts'

const QUOTE = 34
const DOLLAR = 36
const PLUS = 43
const BACKSLASH = 92
const LETTER_U = 117

/** The JSON of a literal or a number, Python's included; undefined where the word is neither. */
export function literalOf(word: string): string | undefined {
  switch (word) {
    case 'true':
    case 'false':
    case 'null':
      return word
    case 'True':
      return 'true'
    case 'False':
      return 'false'
    case 'None':
      return 'null'
    default:
      return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word) && Number.isFinite(Number(word)) ? word : undefined
  }
}

/** True where the backslash at `at` begins an escape of JSON that ends in this piece. */
export function isEscaped(text: string, at: number): boolean {
  switch (text.charCodeAt(at + 1)) {
    case QUOTE:
    case BACKSLASH:
    case 47:
    case 98:
    case 102:
    case 110:
    case 114:
    case 116:
      return true
    case LETTER_U:
      return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))
    default:
      return false
  }
}

/** True for the code of a character that numbers, literals and keys without quotes are made of. */
export function isWordCode(code: number): boolean {
  return isNameCode(code) || code === PLUS || code === DOLLAR
}
