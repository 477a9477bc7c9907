const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Formats an age: `now`, `5 min ago`, `3 h ago`, `2 days ago`, then the date. */
export function describeAge(at: number, now: number): string {
  const age = Math.max(0, now - at)
  if (age < MINUTE) return 'now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  const days = Math.floor(age / DAY)
  return days < 30 ? `${days} day${days === 1 ? '' : 's'} ago` : new Date(at).toISOString().slice(0, 10)
}
