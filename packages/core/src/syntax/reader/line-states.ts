import { BACKTICK, GREATER, isDigit, TILDE } from './char-codes.ts'

/** Positions of the Markdown scanner in a line. */
export const LINE = 0
export const BODY = 1
export const RUN = 2
export const SPAN = 3
export const HIDDEN = 4
export const MARKER = 5
export const TICKS = 6
export const TILDES = 7
export const INFO = 8
export const FENCE = 9
export const QUOTE = 10
export const SKIPPED = 11

const STAR = 42
const PLUS = 43
const MINUS = 45
const OPEN_BRACKET = 91
const PIPE = 124

/** What a line that begins with this character is, or may turn out to be; `rest` for ordinary text. */
export function lineState(code: number, rest: number): number {
  switch (code) {
    case BACKTICK:
      return TICKS
    case TILDE:
      return TILDES
    case GREATER:
      return QUOTE
    case PIPE:
      return HIDDEN
    case OPEN_BRACKET:
    case STAR:
    case PLUS:
    case MINUS:
      return MARKER
    default:
      return isDigit(code) ? MARKER : rest
  }
}
