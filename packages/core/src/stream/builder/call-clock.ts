export interface CallClockState {
  /** When a person was asked, and how long they took to answer. */
  asked?: number
  thought?: number
}

/** Excludes the time a person took to answer and the time the call waited for its turn. */
export class CallClock {
  waited = 0
  #askedAt: number | undefined
  #thought: number

  constructor({ asked, thought = 0 }: CallClockState = {}) {
    this.#askedAt = asked
    this.#thought = thought
  }

  toJSON(): CallClockState {
    const state: CallClockState = {}
    if (this.#askedAt !== undefined) state.asked = this.#askedAt
    if (this.#thought > 0) state.thought = this.#thought
    return state
  }

  ask(now: number): void {
    this.#askedAt = now
  }

  answer(now: number): void {
    if (this.#askedAt !== undefined) this.#thought += Math.max(0, now - this.#askedAt)
    this.#askedAt = undefined
  }

  /** Returns when the call ended, without those times. */
  end(now: number, startedAt: number = now): number {
    this.answer(now)
    return Math.max(now - this.waited - this.#thought, Math.min(now, startedAt))
  }
}
