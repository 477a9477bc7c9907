import { LEASE_MS } from './lock-file.ts'

/** The time without a renewal after which a holder elsewhere counts as gone: `ARGOT_LEASE_SECONDS`, or 30 seconds. */
export function readLeaseMs(env: Readonly<Record<string, string | undefined>>): number {
  const seconds = Number(env.ARGOT_LEASE_SECONDS)
  return Number.isFinite(seconds) && seconds >= 1 && seconds <= 600 ? seconds * 1000 : LEASE_MS
}
