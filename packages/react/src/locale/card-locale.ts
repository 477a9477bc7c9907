import { type Context, createContext, useContext } from 'react'
import type { ChatLocale, ClosedCardLocale } from './chat-locale.ts'
import { englishCard } from './english-card.ts'

/** The words that everything below it uses; English where nothing is provided. */
export const LocaleContext: Context<ChatLocale | undefined> = createContext<ChatLocale | undefined>(undefined)

/** The words of a closed card: it loads no others. */
export function useCardLocale(): ClosedCardLocale {
  return useContext(LocaleContext) ?? englishCard
}
