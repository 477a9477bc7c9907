import { type Context, createContext } from 'react'
import type { DefaultExpanded } from '../types/index.ts'

/** How a box shows what its messages hold. */
export interface BoxOptions {
  /** Each call as a card of its own, or all of a message behind one line. */
  toolDisplay: 'cards' | 'widget'
  defaultExpanded: DefaultExpanded | undefined
}

export const BoxOptionsContext: Context<BoxOptions> = createContext<BoxOptions>({
  toolDisplay: 'cards',
  defaultExpanded: undefined,
})
