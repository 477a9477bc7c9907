/**
 * Characters that could control a terminal or reorder letters: control characters except tab and line feed, line
 * separators, and everything that controls the writing direction.
 */
const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/u
const everyUnsafe = new RegExp(unsafe, 'gu')

/** Replaces control characters by symbols, so that printing the text does nothing else. */
export function safeText(text: string): string {
  return unsafe.test(text) ? text.replaceAll('\r\n', '\n').replace(everyUnsafe, toSymbol) : text
}

/** Equivalent JSON in which characters that could control a terminal are escaped. */
export function escapeUnsafe(json: string): string {
  return unsafe.test(json) ? json.replace(everyUnsafe, toEscape) : json
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function toSymbol(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 32) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
