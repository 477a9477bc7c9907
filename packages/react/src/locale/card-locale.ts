import { type Context, createContext, useContext } from 'react'
import type { ChatLocale, ClosedCardLocale } from './chat-locale.ts'
import { englishCard } from './english-card.ts'

/** The words for everything below; English without a provider. */
export const LocaleContext: Context<ChatLocale | undefined> = createContext<ChatLocale | undefined>(undefined)

/** A closed card's words: it loads no others. */
export function useCardLocale(): ClosedCardLocale {
  return useContext(LocaleContext) ?? englishCard
}
