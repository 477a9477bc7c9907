import { LEASE_MS } from './lock-file.ts'

/**
 * How long a holder elsewhere may go without a renewal before it is considered gone: `ARGOT_LEASE_SECONDS`, or 30
 * seconds.
 */
export function readLeaseMs(env: Readonly<Record<string, string | undefined>>): number {
  const seconds = Number(env.ARGOT_LEASE_SECONDS)
  return Number.isFinite(seconds) && seconds >= 1 && seconds <= 600 ? seconds * 1000 : LEASE_MS
}
