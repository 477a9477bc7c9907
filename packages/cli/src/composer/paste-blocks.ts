/** Each block is one character of this private area, so that it is moved over, deleted and undone as one. */
const FIRST = 0x10f000
const MOST = 0xfff
const every = /[\u{10f000}-\u{10ffff}]/gu

/** A paste that is longer is shown as a block. */
const SHORT_LINES = 5
const SHORT_TEXT = 800

/** Long pastes: the composer shows how long each is, and the message has its whole text. */
export class PasteBlocks {
  readonly #texts: string[] = []

  /** What the composer shows for a paste: the text if it is short, else one character for all of it. */
  add(text: string): string {
    const lines = countLines(text)
    if ((lines <= SHORT_LINES && text.length <= SHORT_TEXT) || this.#texts.length >= MOST) return text
    this.#texts.push(text)
    return String.fromCodePoint(FIRST + this.#texts.length - 1)
  }

  /** The text with the whole of each paste in the place of its block. */
  expand(text: string): string {
    return text.replace(every, character => this.#texts[character.codePointAt(0)! - FIRST] ?? '')
  }

  /** The text with the label of each paste. */
  describe(text: string): string {
    return text.replace(every, character => this.label(character) ?? '')
  }

  /** `[Pasted 500 lines]` for the character of a block; undefined for any other. */
  label(character: string): string | undefined {
    const code = character.codePointAt(0)!
    if (code < FIRST) return undefined
    const text = this.#texts[code - FIRST]
    if (text === undefined) return undefined
    const lines = countLines(text)
    return lines > 1 ? `[Pasted ${lines} lines]` : `[Pasted ${text.length} characters]`
  }
}

/** What people type or paste, without what could drive a terminal or pass for a block. */
export function cleanInput(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(every, '\ufffd')
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
