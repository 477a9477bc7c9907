import type { Chunk } from '@argot/core'
import { english } from '@argot/core/stream'
import { cutEnd } from '../io/width.ts'
import { oneLine } from './safe-pieces.ts'

/** Silences below this are how models speak. */
const WORTH_SHOWING = 1000

/** Who is waited for, and how long: a row while a model that was asked says nothing. */
export class WaitingLine {
  readonly #model: () => string | undefined
  /** When the model was asked, or said something for the last time; undefined while nobody waits for it. */
  #since: number | undefined

  constructor(model: () => string | undefined) {
    this.#model = model
  }

  get isOn(): boolean {
    return this.#since !== undefined
  }

  /** A chunk came at this time. */
  push({ type }: Chunk, now: number): void {
    if (type === 'start-step' || type === 'reset-step') this.#since = now
    else if (type === 'finish-step' || type === 'finish' || type === 'abort' || type === 'error')
      this.#since = undefined
    else if (this.#since !== undefined) this.#since = now
  }

  /** Undefined where nobody waits, or not long enough to be worth a row. */
  live(columns: number, now: number): string | undefined {
    const model = this.#model()
    if (this.#since === undefined || model === undefined) return undefined
    const silence = now - this.#since
    if (silence < WORTH_SHOWING) return undefined
    const time = ` · ${silence < 60_000 ? `${Math.floor(silence / 1000)} s` : english.duration(silence)}`
    return cutEnd(`Waiting for ${oneLine(model, 200)}`, Math.max(1, columns - 3 - time.length)) + time
  }
}
