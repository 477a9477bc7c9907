import { isHalf } from '../../source/surrogates.ts'
import { MAX_DEPTH } from '../limits.ts'

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** What JSON writes instead of each character below 128; undefined if it writes the character itself. */
const escapes: (string | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
  return escaped.length > 1 ? escaped : undefined
})

/**
 * Escapes `text` from `start` to `end` for use between the quotes of a JSON string. Pieces of a text can be escaped one
 * by one and joined, as long as no surrogate pair is cut.
 */
export function escapeJson(text: string, start = 0, end: number = text.length): string {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code < 32 || code === QUOTE || code === BACKSLASH || (code >= 0x800 && isHalf(code))) {
      return escapeFrom(text, start, i, end)
    }
  }
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function escapeFrom(text: string, start: number, first: number, end: number): string {
  let output = first === start ? '' : text.slice(start, first)
  let copiedEnd = first
  for (let i = first; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code >= 128) {
      if (isHalf(code)) return JSON.stringify(text.slice(start, end)).slice(1, -1)
      continue
    }
    const escaped = escapes[code]
    if (escaped === undefined) continue
    if (copiedEnd < i) output += text.slice(copiedEnd, i)
    output = output === '' ? escaped : output + escaped
    copiedEnd = i + 1
  }
  return copiedEnd === end ? output : output + text.slice(copiedEnd, end)
}

/** Returns `undefined` if the text isn't JSON, `too-deep` if it nests too deeply. */
export function parseJson(text: string): { value: unknown } | 'too-deep' | undefined {
  if (text.length > MAX_DEPTH && nestsTooDeeply(text)) return 'too-deep'
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** True if brackets outside strings nest deeper than the limit. Other mistakes are left to the parser. */
export function nestsTooDeeply(text: string): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--
  }
  return false
}

/** True for a JSON integer beyond 2^53, which JavaScript rounds. */
export function isLargeInteger(word: string): boolean {
  if (word.length < 16 || !/^-?\d+$/.test(word)) return false
  const size = Math.abs(Number(word))
  return size > 2 ** 53 || (size === 2 ** 53 && !word.endsWith('9007199254740992'))
}

/** JSON with each number beyond 2^53 in a form that isn't read as an integer: `1e+20`. */
export function exponentForm(json: string): string {
  if (!/\d{16}/.test(json)) return json
  return json.replaceAll(tokens, token => (isLargeInteger(token) ? Number(token).toExponential() : token))
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** JSON with each integer that JavaScript would round as a string of its digits; undefined if there is none. */
export function quoteLargeIntegers(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined
  let isMatch = false
  const quoted = json.replaceAll(tokens, token => {
    if (!isLargeInteger(token)) return token
    isMatch = true
    return `"${token}"`
  })
  return isMatch ? quoted : undefined
}
