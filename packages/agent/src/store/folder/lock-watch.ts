import { setTimeout as sleep } from 'node:timers/promises'

/** How a waiting process measures time. Not by wall clocks: those of two machines differ, and can be changed. */
export interface LockClock {
  /** Milliseconds that never run backwards. */
  now(): number
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
}

export const processClock: LockClock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}

/**
 * At most this many milliseconds are counted between two checks of a lock. If this process was stopped or its machine
 * slept, it couldn't check meanwhile, and the holder may have slept too.
 */
const MOST_COUNTED_MS = 1000

interface LockSighting {
  stamp: string
  at: number
  silentMs: number
  renewals: number
}

/** What this process has observed of locks whose holders it can't inspect. */
export class LockWatch {
  readonly #clock: LockClock
  readonly #sightings: Map<string, LockSighting> = new Map()

  constructor(clock: LockClock) {
    this.#clock = clock
  }

  /** How long a lock has gone without a renewal, and how often it was renewed, as far as this process has observed. */
  see(path: string, stamp: string): { silentMs: number; renewals: number } {
    const at = this.#clock.now()
    const before = this.#sightings.get(path)
    if (before === undefined || before.stamp !== stamp) {
      const sighting = { stamp, at, silentMs: 0, renewals: before === undefined ? 0 : before.renewals + 1 }
      this.#sightings.set(path, sighting)
      return sighting
    }
    before.silentMs += Math.min(Math.max(0, at - before.at), MOST_COUNTED_MS)
    before.at = at
    return before
  }

  forget(path: string): void {
    this.#sightings.delete(path)
  }
}
