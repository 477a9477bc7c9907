/** Reads back as exactly this text. A text that contains `|RAW` takes several adjacent blocks. */
export function writeRaw(text: string, newline: '\n' | '\r\n' = '\n'): string {
  const pieces = text.split('|RAW')
  const last = pieces.length - 1
  return pieces.map((piece, i) => rawBlock((i > 0 ? 'RAW' : '') + piece + (i < last ? '|' : ''), newline)).join('')
}

/** The newlines are layout. If the text ends with CR, a following LF would make it part of the layout. */
function rawBlock(text: string, newline: string): string {
  const last = text.endsWith('\r') && newline === '\n' ? '' : newline
  return `RAW|${newline}${text}${last}|RAW`
}

/** Unchanged if nothing in the text can be read as markup, otherwise RAW. */
export function writeText(text: string, newline: '\n' | '\r\n' = '\n'): string {
  return isPlain(text) ? text : writeRaw(text, newline)
}

function isPlain(text: string): boolean {
  return !text.includes('RAW|') && !text.includes('|RAW') && !text.endsWith('\r') && !/<[a-z/!]/.test(text)
}
