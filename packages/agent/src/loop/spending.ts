import { defined } from '@argot/core/stream/internal'
import type { Usage } from '../model/model.ts'
import { addUsage } from '../store/logged-spending.ts'
import type { Price } from '../words/price.ts'

/** Adds up what the model calls of a run used, and what that costs where a price is known. */
export class Spending {
  #usage: Usage & { cost?: number } = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  readonly #price: Price | undefined

  /** `before`: what earlier processes of the run have used. */
  constructor(price?: Price, before?: Usage) {
    this.#price = price
    if (before !== undefined) this.add(before)
  }

  get usage(): Usage & { cost?: number } {
    return this.#usage
  }

  add(usage: Usage): void {
    const sum = addUsage(this.#usage, usage)
    const price = this.#price
    const cost = price && (sum.inputTokens * price.input + sum.outputTokens * price.output) / 1e6
    this.#usage = { ...sum, ...defined({ cost }) }
  }
}
