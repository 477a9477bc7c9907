import { type Context, createContext } from 'react'

/** Whether a card is among the rows of a sub-agent. */
export const NestContext: Context<boolean> = createContext(false)
