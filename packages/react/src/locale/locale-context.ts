import { type Context, createContext, useContext } from 'react'
import type { ChatLocale } from './chat-locale.ts'
import { englishChat } from './english-chat.ts'

/** The words that the parts below it use; English where nothing is provided. */
export const LocaleContext: Context<ChatLocale> = createContext(englishChat)

export function useLocale(): ChatLocale {
  return useContext(LocaleContext)
}
