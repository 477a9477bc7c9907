import type { Model } from '../../model/model.ts'
import type { Price } from '../../words/price.ts'

export interface Summariser {
  model: Model
  price: Price | undefined
}
