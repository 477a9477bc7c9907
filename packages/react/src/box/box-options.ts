import { type Context, createContext } from 'react'
import type { DefaultExpanded } from '../types/index.ts'

/** How a box shows what its messages hold. */
export interface BoxOptions {
  /** Each call as a card of its own, or all of a message behind one line. */
  toolDisplay: 'cards' | 'widget'
  defaultExpanded: DefaultExpanded | undefined
  /** While an input streams, only this many of its newest lines are shown. */
  newestLines: number | undefined
}

/** How tool parts are shown. */
export interface ToolPartProps {
  /** Opens and closes cards and sections. */
  defaultExpanded?: DefaultExpanded | undefined
  /** While an input streams, only this many of its newest lines are shown; all of it by default. */
  newestLines?: number | undefined
}

export const BoxOptionsContext: Context<BoxOptions> = createContext<BoxOptions>({
  toolDisplay: 'cards',
  defaultExpanded: undefined,
  newestLines: undefined,
})
