const HOUR = 60 * 60 * 1000

const units: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR }

export const durationForm = 'a number of hours, days or weeks such as `12h`, `30d` or `4w`'

/** `12h`, `30d` or `4w` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([0-9]{1,5})([hdw])$/.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * units[unit]!
}
