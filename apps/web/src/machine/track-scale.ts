import type { RunWait } from './run-waits.ts'

/** Each wait takes this many per cent of the track, however long it was; all of them together take at most half. */
const NOTCH = 5
const MOST_NOTCHES = 50

/** The positions of a run's moments on its track. Work is proportional; waits are not. */
export class TrackScale {
  readonly notches: readonly { x: number; width: number; wait: number }[]
  readonly #waits: readonly RunWait[]
  readonly #notch: number
  /** Per cent per millisecond of work. */
  readonly #rate: number

  constructor(duration: number, waits: readonly RunWait[]) {
    this.#waits = waits
    const worked = duration - waits.reduce((sum, { from, to }) => sum + to - from, 0)
    this.#notch = waits.length === 0 ? 0 : Math.min(NOTCH, MOST_NOTCHES / waits.length)
    this.#rate = worked <= 0 ? 0 : (100 - this.#notch * waits.length) / worked
    this.notches = waits.map(({ from, to }) => ({ x: this.at(from), width: this.#notch, wait: to - from }))
  }

  /** A moment's position, in per cent. */
  at(time: number): number {
    let worked = time
    let notches = 0
    for (const { from, to } of this.#waits) {
      const waited = Math.max(0, Math.min(time, to) - from)
      worked -= waited
      notches += (waited / (to - from)) * this.#notch
    }
    return Math.max(0, Math.min(100, worked * this.#rate + notches))
  }

  /** The moment at which the run had worked this long. */
  workToTime(worked: number): number {
    let time = worked
    for (const { from, to } of this.#waits) if (time > from) time += to - from
    return time
  }

  timeAt(place: number): number {
    let [rest, time] = [place, 0]
    for (const { from, to } of this.#waits) {
      const work = (from - time) * this.#rate
      if (rest <= work) break
      const inside = Math.min(1, (rest - work) / this.#notch)
      rest -= work + inside * this.#notch
      time = from + inside * (to - from)
      if (inside < 1) return time
    }
    return this.#rate === 0 ? time : time + rest / this.#rate
  }
}
