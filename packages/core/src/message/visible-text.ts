/**
 * Characters that people can't see, or that reorder visible text: controls, format characters, lone surrogates,
 * separators, every space except U+0020 and the ideographic space, fillers and variation selectors. Exceptions are the
 * Arabic, Syriac and Kaithi format characters that are drawn.
 */
const hidden = String.raw`[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]--[\n\t \u3000\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`
/** A character with the emoji selector: ❤️, 1️⃣. If it has an emoji form, the selector changes how it looks. */
const picture = String.raw`\p{Emoji}\ufe0f\u20e3?`

/** Character sets, and emoji made of several characters. The compiler's target doesn't allow this flag in a literal. */
const flag = 'v'
/** ASCII without a backslash, which covers most names and paths: the other patterns are slow to compile. */
const plain = /^[\n\t\x20-\x5b\x5d-\x7e]*$/
const anyHidden = new RegExp(String.raw`${hidden}|\\u\{`, flag)
const pieces = new RegExp(String.raw`${picture}|${hidden}|\\(?=u\{)`, `g${flag}`)
const hiddenOnes = new RegExp(hidden, `g${flag}`)
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, flag)

/**
 * The text with every character that a person could not see escaped (`\u{202e}`). Nothing in it is hidden, reorders
 * letters or controls a terminal. Line breaks, tabs and emoji stay; emoji of several people are shown one by one, with
 * their joiners. Nothing is lost, and different texts never look the same: a backslash that would begin such an escape
 * is escaped too. Linear; a text without hidden characters is returned unchanged.
 */
export function visibleText(text: string): string {
  return plain.test(text) || !anyHidden.test(text) ? text : text.replace(pieces, escapePiece)
}

/** For single-line text such as a name or a path: line breaks and tabs are escaped too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, toEscape)
}

function escapePiece(piece: string): string {
  if (piece.length === 1) return toEscape(piece)
  return emoji.test(piece) ? piece : piece.replace(hiddenOnes, toEscape)
}

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
