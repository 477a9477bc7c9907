import { type Context, createContext, useContext } from 'react'
import type { ChatLocale, PartLocale } from './chat-locale.ts'
import { englishChat } from './english-chat.ts'
import { englishParts } from './english-parts.ts'

/** The words that everything below it uses; English where nothing is provided. */
export const LocaleContext: Context<ChatLocale | undefined> = createContext<ChatLocale | undefined>(undefined)

/** All words: for the box. */
export function useLocale(): ChatLocale {
  return useContext(LocaleContext) ?? englishChat
}

/** The words of the parts: a card on its own does not load those of the box. */
export function usePartLocale(): PartLocale {
  return useContext(LocaleContext) ?? englishParts
}
