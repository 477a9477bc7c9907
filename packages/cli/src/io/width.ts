const plain = /^[\x20-\x7e]*$/
const ownStyles = /\x1b\[[\d;]*m/g
const emoji = /^\p{Emoji_Presentation}/u
const combining = /^[\p{Mn}\p{Me}\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u

/**
 * The number of terminal columns of a text without line breaks, ignoring Argot's own colours. Never too low: a line
 * that fits by this count takes one row on the screen.
 */
export function measureWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const character of withoutStyles(text)) width += getCharacterWidth(character)
  return width
}

/** The text, or as much of its beginning as fits into this many columns, with an ellipsis. */
export function cutEnd(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text
  let width = 1
  let end = 0
  for (const character of text) {
    width += getCharacterWidth(character)
    if (width > columns) break
    end += character.length
  }
  return columns < 1 ? '' : `${text.slice(0, end)}…`
}

/** The text, or as much of its end as fits into this many columns, with an ellipsis. */
export function cutStart(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text
  const characters = [...text]
  let width = 1
  let first = characters.length
  while (first > 0) {
    width += getCharacterWidth(characters[first - 1]!)
    if (width > columns) break
    first--
  }
  return columns < 1 ? '' : `…${characters.slice(first).join('')}`
}

/** The text, or as much of its beginning and end as fits, with an ellipsis between. Shows more of the end. */
export function cutMiddle(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text
  const start = cutEnd(text, Math.max(1, Math.floor(columns / 3)))
  const end = cutStart(text, columns - measureWidth(start) + 1)
  return columns < 1 ? '' : start + end.slice(1)
}

export function withoutStyles(text: string): string {
  return text.replace(ownStyles, '')
}

/** The columns of one code point. A tab gets its maximum. */
export function getCharacterWidth(character: string): number {
  const code = character.codePointAt(0)!
  if (code < 0x7f) return code === 9 ? 8 : 1
  // U+FE0F after a narrow character requests the wide emoji form.
  if (code === 0xfe0f) return 1
  if (combining.test(character)) return 0
  return code >= 0x1100 && (isEastAsian(code) || emoji.test(character)) ? 2 : 1
}

/** The ranges that Unicode calls wide or full width. Emoji have their own property. */
function isEastAsian(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2329 && code <= 0x232a) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe10 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x16fe0 && code <= 0x1b2ff) ||
    (code >= 0x1f200 && code <= 0x1f2ff) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  )
}
