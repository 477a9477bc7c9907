/** A duration in one unit, for sentences: "45 s", "20 min", "24 h". */
export function describeTime(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 90) return `${round(seconds)} s`
  if (seconds < 90 * 60) return `${round(seconds / 60)} min`
  return `${round(seconds / 3600)} h`
}

function round(amount: number): number {
  return amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)
}
