/** A text as lines, with everything needed to write it back byte for byte. */
export interface TextLines {
  /** Without line endings. */
  lines: readonly string[]
  /** Which lines end with CRLF. A last line without an ending follows the majority. */
  crlf: Uint8Array
  ending: '\n' | '\r\n'
  hasBom: boolean
  /** A text without lines gets a newline with its first line. */
  endsWithNewline: boolean
}

export function splitText(text: string): TextLines {
  const hasBom = text.startsWith('\uFEFF')
  const lines = (hasBom ? text.slice(1) : text).split('\n')
  const endsWithNewline = lines.at(-1) === ''
  if (endsWithNewline) lines.pop()
  const crlf = new Uint8Array(lines.length)
  const endedCount = endsWithNewline ? lines.length : lines.length - 1
  let count = 0
  for (let i = 0; i < endedCount; i++) {
    if (!lines[i]!.endsWith('\r')) continue
    lines[i] = lines[i]!.slice(0, -1)
    crlf[i] = 1
    count++
  }
  const ending = count * 2 > endedCount ? '\r\n' : '\n'
  if (!endsWithNewline && ending === '\r\n') crlf[endedCount] = 1
  return { lines, crlf, ending, hasBom, endsWithNewline }
}

/** `origins` has the original number of each line, or -1 if it is new. */
export function joinText(original: TextLines, lines: readonly string[], origins: readonly number[]): string {
  const pieces: string[] = original.hasBom ? ['\uFEFF'] : []
  const lastIndex = lines.length - 1
  for (let i = 0; i <= lastIndex; i++) {
    pieces.push(lines[i]!)
    if (i === lastIndex && !original.endsWithNewline) break
    const origin = origins[i]!
    if (origin < 0) pieces.push(original.ending)
    else pieces.push(original.crlf[origin] === 1 ? '\r\n' : '\n')
  }
  return pieces.join('')
}
