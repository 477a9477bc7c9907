export type TakeLetter = (code: number, start: number, end: number) => void

/**
 * Reads the letters and digits of a text in lower case. Skips what may be between them: white space, punctuation,
 * terminal escapes, invisible characters. Decodes escapes (`%41`, `\x41`, `\u0041`, `\101`, `&#65;`, `0x41`). Linear.
 */
export function readLetters(text: string, take: TakeLetter): void {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const letter = toLetter(code)
    // `0x41` begins with a digit.
    if (letter !== 0 && code !== ZERO) take(letter, at, ++at)
    else if (code === ZERO || ESCAPING.has(code)) at = readEscape(text, at, take)
    else at++
  }
}

const ZERO = 0x30
const ESCAPING: ReadonlySet<number> = new Set(['%', '\\', '&', '\u001b', '\u009b'].map(sign => sign.charCodeAt(0)))

/** Escapes of a character by its code in hex, decimal or octal. */
const ESCAPES: readonly { pattern: RegExp; radix: number }[] = [
  { pattern: /%([0-9a-f]{2})/iy, radix: 16 },
  { pattern: /\\x([0-9a-f]{2})/iy, radix: 16 },
  { pattern: /\\u\{?([0-9a-f]{4,6})\}?/iy, radix: 16 },
  { pattern: /\\([0-3][0-7]{2})/y, radix: 8 },
  { pattern: /&#x([0-9a-f]{1,6});/iy, radix: 16 },
  { pattern: /&#(\d{1,7});/y, radix: 10 },
  { pattern: /\b0x([0-9a-f]{2})\b/iy, radix: 16 },
]
const CODELESS_ESCAPES: readonly RegExp[] = [
  /\\[nrtfvb0]/y,
  /&(?:amp|quot|apos|lt|gt|nbsp);/y,
  /(?:\u001b\[|\u009b)[0-9:;<=>?]{0,32}[ -/]{0,4}[@-~]/y,
  /\u001b\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)/y,
]

function readEscape(text: string, at: number, take: TakeLetter): number {
  for (const { pattern, radix } of ESCAPES) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) continue
    const letter = toLetter(Number.parseInt(match[1]!, radix))
    if (letter !== 0) take(letter, at, pattern.lastIndex)
    return pattern.lastIndex
  }
  for (const pattern of CODELESS_ESCAPES) {
    pattern.lastIndex = at
    if (pattern.test(text)) return pattern.lastIndex
  }
  if (text.charCodeAt(at) === ZERO) take(ZERO, at, at + 1)
  return at + 1
}

/** The code of a letter or digit in lower case; 0 for anything else. */
function toLetter(code: number): number {
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return code
    if (code >= 0x41 && code <= 0x5a) return code + 0x20
    return code >= 0x30 && code <= 0x39 ? code : 0
  }
  // Full-width letters look like ASCII.
  if (code >= 0xff01 && code <= 0xff5e) return toLetter(code - 0xfee0)
  return isInvisible(code) || code > 0xffff ? 0 : code
}

function isInvisible(code: number): boolean {
  return (
    code <= 0xa0 ||
    code === 0xad ||
    (code >= 0x2000 && code <= 0x206f) ||
    code === 0x3000 ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff ||
    code === 0xfffd
  )
}
