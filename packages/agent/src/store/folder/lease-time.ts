import { LEASE_MS } from './lock-file.ts'

/** After this long without a renewal, a holder elsewhere is considered gone: `ARGOT_LEASE_SECONDS`, or 30 seconds. */
export function readLeaseMs(env: Readonly<Record<string, string | undefined>>): number {
  const seconds = Number(env.ARGOT_LEASE_SECONDS)
  return Number.isFinite(seconds) && seconds >= 1 && seconds <= 600 ? seconds * 1000 : LEASE_MS
}
