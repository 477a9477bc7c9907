/** Writes RAW blocks that read back as exactly this text. A text that contains `|RAW` takes several adjacent ones. */
export function writeRaw(text: string, newline: '\n' | '\r\n' = '\n'): string {
  const pieces = text.split('|RAW')
  const last = pieces.length - 1
  return pieces.map((piece, i) => rawBlock((i > 0 ? 'RAW' : '') + piece + (i < last ? '|' : ''), newline)).join('')
}

/** The newlines are layout. A text that ends with CR would lose it to the second one. */
function rawBlock(text: string, newline: string): string {
  const last = text.endsWith('\r') && newline === '\n' ? '' : newline
  return `RAW|${newline}${text}${last}|RAW`
}

/** The text as a message's content: unchanged if nothing in it can be read as markup, otherwise RAW. */
export function writeText(text: string, newline: '\n' | '\r\n' = '\n'): string {
  return isPlain(text) ? text : writeRaw(text, newline)
}

function isPlain(text: string): boolean {
  return !text.includes('RAW|') && !text.includes('|RAW') && !text.endsWith('\r') && !/<[a-z/!]/.test(text)
}
