import type { Model } from '../../model/model.ts'
import type { Price } from '../../words/price.ts'

/** Who writes summaries, and what that costs. */
export interface Summariser {
  model: Model
  price: Price | undefined
}
