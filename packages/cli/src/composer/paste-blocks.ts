/** Each block is one private-use character, so that it can be skipped, deleted and undone as a unit. */
const FIRST_BLOCK = 0x10f000
const MOST_BLOCKS = 0xfff
const everyBlock = /[\u{10f000}-\u{10ffff}]/gu

const SHORT_LINES = 5
const SHORT_TEXT = 800

/** Long pastes. The composer shows their length, and the message contains their full text. */
export class PasteBlocks {
  readonly #texts: string[] = []

  /** The text to insert for a paste: unchanged if it is short, otherwise one character. */
  add(text: string): string {
    const lines = countLines(text)
    if ((lines <= SHORT_LINES && text.length <= SHORT_TEXT) || this.#texts.length >= MOST_BLOCKS) return text
    this.#texts.push(text)
    return String.fromCodePoint(FIRST_BLOCK + this.#texts.length - 1)
  }

  expand(text: string): string {
    return text.replace(everyBlock, character => this.#texts[character.codePointAt(0)! - FIRST_BLOCK] ?? '')
  }

  describe(text: string): string {
    return text.replace(everyBlock, character => this.label(character) ?? '')
  }

  /** `[Pasted 500 lines]` for a block's character. Undefined for other characters. */
  label(character: string): string | undefined {
    const code = character.codePointAt(0)!
    if (code < FIRST_BLOCK) return undefined
    const text = this.#texts[code - FIRST_BLOCK]
    if (text === undefined) return undefined
    const lines = countLines(text)
    return lines > 1 ? `[Pasted ${lines} lines]` : `[Pasted ${text.length} characters]`
  }
}

/** Typed or pasted text without characters that could control a terminal or look like a block. */
export function cleanInput(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(everyBlock, '\ufffd')
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
