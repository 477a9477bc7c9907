/** A longer word is cut in two. */
const LONGEST_WORD = 512

/**
 * The nearest place at or before this one that is not inside a word: a key that a cut would go through is left out as a
 * whole, because what remains of it could not be recognised. Words may have the signs that keys have.
 */
export function wordStart(text: string, at: number): number {
  if (at >= text.length || !isInWord(text.charCodeAt(at))) return at
  let start = at
  while (start > 0 && isInWord(text.charCodeAt(start - 1))) {
    if (at - start >= LONGEST_WORD) return at
    start--
  }
  // A word that is most of the text is the text.
  return start < at / 2 ? at : start
}

function isInWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2b && code <= 0x39 && code !== 0x2c) ||
    ('_=~%'.includes(String.fromCharCode(code)) && code !== 0)
  )
}
