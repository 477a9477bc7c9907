import type { Model } from '../../model/model.ts'
import type { Price } from '../../words/price.ts'

/** The model that writes summaries, and its price. */
export interface Summariser {
  model: Model
  price: Price | undefined
}
