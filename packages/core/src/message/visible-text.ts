/**
 * What nobody sees, or what turns round what one sees: controls, format characters, halves of pairs, separators, every
 * blank but the space and the wide one of East Asia, fillers and variation selectors. Left out are the marks of Arabic,
 * Syriac and Kaithi that count as format characters and are drawn.
 */
const hidden = String.raw`[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]--[\n\t \u3000\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`
/** A sign that is asked to be a picture: ❤️, 1️⃣. Where there is such a picture, the selector changes what one sees. */
const picture = String.raw`\p{Emoji}\ufe0f\u20e3?`

/** Sets of characters, and emoji of several; the target of the compiler does not know the flag in a literal. */
const flag = 'v'
/** ASCII without a backslash, which most names and paths are: the other patterns take long to be made ready. */
const plain = /^[\n\t\x20-\x5b\x5d-\x7e]*$/
const anyHidden = new RegExp(String.raw`${hidden}|\\u\{`, flag)
const pieces = new RegExp(String.raw`${picture}|${hidden}|\\(?=u\{)`, `g${flag}`)
const hiddenOnes = new RegExp(hidden, `g${flag}`)
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, flag)

/**
 * The text with everything written out (`\u{202e}`) that a person could not see: nothing in it hides, turns the order of
 * letters round or drives a terminal. Line breaks, tabs and emoji stay; those of several people
 * are shown one by one, with what joins them. Nothing is lost, and two texts that are not the
 * same never look the same: a backslash that would begin such an escape is written out itself. Linear; a text without
 * hidden characters is given back as it is.
 */
export function visibleText(text: string): string {
  return plain.test(text) || !anyHidden.test(text) ? text : text.replace(pieces, shown)
}

/** The same for what has to be one line, such as a name or a path: line breaks and tabs are written out too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, toEscape)
}

function shown(piece: string): string {
  if (piece.length === 1) return toEscape(piece)
  return emoji.test(piece) ? piece : piece.replace(hiddenOnes, toEscape)
}

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
