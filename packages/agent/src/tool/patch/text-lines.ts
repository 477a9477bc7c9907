/** A text as lines, with everything needed to write it back byte for byte. */
export interface TextLines {
  /** Without line endings. */
  lines: readonly string[]
  /** Which lines end with CRLF. A last line without an ending follows the majority. */
  crlf: Uint8Array
  ending: '\n' | '\r\n'
  hasMark: boolean
  /** Whether the last line has an ending. A text without lines gets one with its first line. */
  isEnded: boolean
}

export function splitText(text: string): TextLines {
  const hasMark = text.startsWith('\uFEFF')
  const lines = (hasMark ? text.slice(1) : text).split('\n')
  const isEnded = lines.at(-1) === ''
  if (isEnded) lines.pop()
  const crlf = new Uint8Array(lines.length)
  const ended = isEnded ? lines.length : lines.length - 1
  let count = 0
  for (let i = 0; i < ended; i++) {
    if (!lines[i]!.endsWith('\r')) continue
    lines[i] = lines[i]!.slice(0, -1)
    crlf[i] = 1
    count++
  }
  const ending = count * 2 > ended ? '\r\n' : '\n'
  if (!isEnded && ending === '\r\n') crlf[ended] = 1
  return { lines, crlf, ending, hasMark, isEnded }
}

/** Writes lines in the original's format. `origins` has the original line number of each one, or -1 if it is new. */
export function joinText(original: TextLines, lines: readonly string[], origins: readonly number[]): string {
  const pieces: string[] = original.hasMark ? ['\uFEFF'] : []
  const last = lines.length - 1
  for (let i = 0; i <= last; i++) {
    pieces.push(lines[i]!)
    if (i === last && !original.isEnded) break
    const origin = origins[i]!
    if (origin < 0) pieces.push(original.ending)
    else pieces.push(original.crlf[origin] === 1 ? '\r\n' : '\n')
  }
  return pieces.join('')
}
