export function isHalf(code: number): boolean {
  return (code & 0xf800) === 0xd800
}

/** The text ends with the first half of a pair; the other half may come with the next piece. */
export function endsInHalf(text: string): boolean {
  return isHigh(text.charCodeAt(text.length - 1))
}

/** The position, or the one before it if a cut would leave the first half of a pair. */
export function beforePair(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) ? at - 1 : at
}

/** The position, or the one after it if a cut would leave the second half of a pair. */
export function afterPair(text: string, at: number): number {
  return isLow(text.charCodeAt(at)) ? at + 1 : at
}

/** The beginning of a text, at most `limit` code units long, without half a pair at its end. */
export function firstCharacters(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, beforePair(text, limit))
}

function isHigh(code: number): boolean {
  return (code & 0xfc00) === 0xd800
}

function isLow(code: number): boolean {
  return (code & 0xfc00) === 0xdc00
}
