/** The text as RAW blocks that read back as exactly this text. One that contains `|RAW` takes several, side by side. */
export function writeRaw(text: string, newline: '\n' | '\r\n' = '\n'): string {
  const pieces = text.split('|RAW')
  const last = pieces.length - 1
  return pieces.map((piece, i) => rawBlock((i > 0 ? 'RAW' : '') + piece + (i < last ? '|' : ''), newline)).join('')
}

/** The newlines are layout; a text that ends with CR would lose it to the second one. */
function rawBlock(text: string, newline: string): string {
  const last = text.endsWith('\r') && newline === '\n' ? '' : newline
  return `RAW|${newline}${text}${last}|RAW`
}

/** The text as the content of a message: as it is where nothing in it can be taken for markup, else RAW. */
export function writeText(text: string, newline: '\n' | '\r\n' = '\n'): string {
  return isPlain(text) ? text : writeRaw(text, newline)
}

function isPlain(text: string): boolean {
  return !text.includes('RAW|') && !text.includes('|RAW') && !text.endsWith('\r') && !/<[a-z/!]/.test(text)
}
