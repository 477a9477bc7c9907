import { setTimeout as sleep } from 'node:timers/promises'

/** How a process that waits measures time. Wall clocks are not used: those of two machines differ, and are set. */
export interface LockClock {
  /** Milliseconds that never run backwards. */
  now(): number
  /** Resolves after so many milliseconds, or when the signal aborts. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
}

export const processClock: LockClock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}

/**
 * Between two looks at a lock no more than this many milliseconds are counted: a process that was stopped, or a machine
 * that slept, has not looked meanwhile, and the holder may have slept with it.
 */
const MOST_BETWEEN_LOOKS = 1000

interface LockSighting {
  /** What the lock file was when it was last seen. */
  stamp: string
  at: number
  silentMs: number
  renewals: number
}

/** What this process has seen of locks whose holders it cannot look at. */
export class LockWatch {
  readonly #clock: LockClock
  readonly #sights: Map<string, LockSighting> = new Map()

  constructor(clock: LockClock) {
    this.#clock = clock
  }

  /** Looks at a lock: for how long it has not been renewed, and how often it was, as far as this process has seen. */
  see(path: string, stamp: string): { silentMs: number; renewals: number } {
    const at = this.#clock.now()
    const before = this.#sights.get(path)
    if (before === undefined || before.stamp !== stamp) {
      const sight = { stamp, at, silentMs: 0, renewals: before === undefined ? 0 : before.renewals + 1 }
      this.#sights.set(path, sight)
      return sight
    }
    before.silentMs += Math.min(Math.max(0, at - before.at), MOST_BETWEEN_LOOKS)
    before.at = at
    return before
  }

  forget(path: string): void {
    this.#sights.delete(path)
  }
}
