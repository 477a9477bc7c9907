/** A longer word is cut in two. */
const LONGEST_WORD = 512

/**
 * The nearest position at or before this one that is not inside a word. A key that a cut would split is left out as a
 * whole, because its remainder could not be recognized. Words may contain the punctuation that keys have.
 */
export function wordStart(text: string, at: number): number {
  if (at >= text.length || !isInWord(text.charCodeAt(at))) return at
  let start = at
  while (start > 0 && isInWord(text.charCodeAt(start - 1))) {
    if (at - start >= LONGEST_WORD) return at
    start--
  }
  // If one word is most of the text, cut it anyway.
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
