import { defined } from 'argot/stream'
import type { Usage } from '../model/model.ts'
import type { Price } from '../words/price.ts'

/** Adds up what the model calls of a run used, and what that costs where a price is known. */
export class Spending {
  #usage: Usage & { cost?: number } = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  readonly #price: Price | undefined

  constructor(price?: Price) {
    this.#price = price
  }

  get usage(): Usage & { cost?: number } {
    return this.#usage
  }

  add(usage: Usage): void {
    const before = this.#usage
    const inputTokens = before.inputTokens + usage.inputTokens
    const outputTokens = before.outputTokens + usage.outputTokens
    const sum = (a: number | undefined, b: number | undefined): number | undefined =>
      a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
    const reasoningTokens = sum(before.reasoningTokens, usage.reasoningTokens)
    const cachedInputTokens = sum(before.cachedInputTokens, usage.cachedInputTokens)
    const price = this.#price
    const cost = price && (inputTokens * price.input + outputTokens * price.output) / 1e6
    this.#usage = {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...defined({ reasoningTokens, cachedInputTokens, cost }),
    }
  }
}
