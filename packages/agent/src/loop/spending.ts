import type { Usage } from '../model/model.ts'
import { addUsage, type PricedUsage, type RunSpending } from '../store/logged-spending.ts'
import type { Price } from '../words/price.ts'

const nothing: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Adds up what a run's model calls used, and their cost if the price is known. */
export class SpendingMeter {
  #usage: PricedUsage = nothing
  /** The part used by this run's model, or by a model without a known price. */
  #own: Usage = nothing
  #otherCost = 0
  readonly #price: Price | undefined

  constructor(price?: Price, earlier?: RunSpending) {
    this.#price = price
    if (earlier === undefined) return
    const { own, others } = earlier
    this.add(own)
    for (const other of others) this.addOther(other)
  }

  get usage(): PricedUsage {
    return this.#usage
  }

  add(usage: Usage): void {
    this.#own = addUsage(this.#own, usage)
    this.#sum(usage)
  }

  /** Adds usage of another model. If its cost is unknown, this run's price applies. */
  addOther(usage: PricedUsage): void {
    if (usage.cost === undefined) return this.add(usage)
    this.#otherCost += usage.cost
    this.#sum(usage)
  }

  #sum(usage: Usage): void {
    const sum = addUsage(this.#usage, usage)
    const cost = toCost(this.#own, this.#price)
    this.#usage = cost === undefined ? sum : { ...sum, cost: cost + this.#otherCost }
  }
}

export function toCost({ inputTokens, outputTokens }: Usage, price: Price | undefined): number | undefined {
  return price && (inputTokens * price.input + outputTokens * price.output) / 1e6
}
