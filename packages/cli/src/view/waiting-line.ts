import type { Chunk } from '@argot/core'
import { english } from '@argot/core/stream'
import { cutEnd } from '../io/width.ts'
import { oneLine } from './safe-pieces.ts'

/** Shorter pauses are normal for models. */
const SHORTEST_SILENCE_MS = 1000

export class WaitingLine {
  readonly #model: () => string | undefined
  /** When the model last sent something or started. Undefined while it isn't working. */
  #since: number | undefined

  constructor(model: () => string | undefined) {
    this.#model = model
  }

  get isOn(): boolean {
    return this.#since !== undefined
  }

  push({ type }: Chunk, now: number): void {
    if (type === 'start-step' || type === 'reset-step') this.#since = now
    else if (type === 'finish-step' || type === 'finish' || type === 'abort' || type === 'error')
      this.#since = undefined
    else if (this.#since !== undefined) this.#since = now
  }

  /** Undefined if nothing is pending, or not for long enough to show. */
  live(columns: number, now: number): string | undefined {
    const model = this.#model()
    if (this.#since === undefined || model === undefined) return undefined
    const silence = now - this.#since
    if (silence < SHORTEST_SILENCE_MS) return undefined
    const time = ` · ${silence < 60_000 ? `${Math.floor(silence / 1000)} s` : english.duration(silence)}`
    return cutEnd(`Waiting for ${oneLine(model, 200)}`, Math.max(1, columns - 3 - time.length)) + time
  }
}
