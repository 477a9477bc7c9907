/** Whole milliseconds since 1970, within the range of `Date`. */
export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
