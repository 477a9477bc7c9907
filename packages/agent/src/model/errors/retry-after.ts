/** How long a reply asks to wait, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number = Date.now(),
): number | undefined {
  const milliseconds = readNumber(headers['retry-after-ms'])
  if (milliseconds !== undefined) return milliseconds
  const text = headers['retry-after']
  const seconds = readNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function readNumber(text: string | undefined): number | undefined {
  return text && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}
