import type { Usage } from '../model/model.ts'
import { addUsage, type PricedUsage, type RunSpending } from '../store/logged-spending.ts'
import type { Price } from '../words/price.ts'

const nothing: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Adds up what the model calls of a run used, and what that costs where a price is known. */
export class Spending {
  #usage: PricedUsage = nothing
  /** The part of it that the model of this run used, or a model whose price is not known. */
  #own: Usage = nothing
  #otherCost = 0
  readonly #price: Price | undefined

  /** `before`: what earlier processes of the run have used. */
  constructor(price?: Price, before?: RunSpending) {
    this.#price = price
    if (before === undefined) return
    const { own, others } = before
    this.add(own)
    for (const other of others) this.addOther(other)
  }

  get usage(): PricedUsage {
    return this.#usage
  }

  /** What the model of this run used. */
  add(usage: Usage): void {
    this.#own = addUsage(this.#own, usage)
    this.#sum(usage)
  }

  /** What another model used. If its cost is not known, it is counted at the price of this one. */
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

/** What this many tokens cost at a price. */
export function toCost({ inputTokens, outputTokens }: Usage, price: Price | undefined): number | undefined {
  return price && (inputTokens * price.input + outputTokens * price.output) / 1e6
}
