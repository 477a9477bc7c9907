export function isHalf(code: number): boolean {
  return (code & 0xf800) === 0xd800
}

/** The other half may come with the next piece. */
export function endsInHalf(text: string): boolean {
  return isHigh(text.charCodeAt(text.length - 1))
}

/** Moves back if a cut would leave the first half of a pair. */
export function beforePair(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) ? at - 1 : at
}

/** Moves forward if a cut would leave the second half of a pair. */
export function afterPair(text: string, at: number): number {
  return isLow(text.charCodeAt(at)) ? at + 1 : at
}

/** At most `limit` code units, without half a pair at the end. */
export function firstCharacters(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, beforePair(text, limit))
}

function isHigh(code: number): boolean {
  return (code & 0xfc00) === 0xd800
}

function isLow(code: number): boolean {
  return (code & 0xfc00) === 0xdc00
}
