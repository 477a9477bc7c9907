/** What a terminal does not show as itself: controls, format characters, halves of pairs, separators. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The text with everything written out that a person could not see, or that would drive the terminal. */
export function showHidden(text: string): string {
  return text.replace(hidden, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
