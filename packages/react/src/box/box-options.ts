import { type Context, createContext, type ReactNode } from 'react'
import type { ToolCallView } from '../hooks/use-tool-call.ts'
import type { DefaultExpanded } from '../types/index.ts'

export interface BoxOptions {
  toolDisplay: 'cards' | 'widget'
  defaultExpanded: DefaultExpanded | undefined
  newestLines: number | undefined
  footer: ((call: ToolCallView) => ReactNode) | undefined
}

export interface ToolPartProps {
  defaultExpanded?: DefaultExpanded | undefined
  /** While an input streams, only this many of its newest lines are shown; all of it by default. */
  newestLines?: number | undefined
  /** Shown at the end of an open call, such as a link to it. */
  footer?: ((call: ToolCallView) => ReactNode) | undefined
}

export const BoxOptionsContext: Context<BoxOptions> = createContext<BoxOptions>({
  toolDisplay: 'cards',
  defaultExpanded: undefined,
  newestLines: undefined,
  footer: undefined,
})
