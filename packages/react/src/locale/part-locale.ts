import { useContext } from 'react'
import { LocaleContext } from './card-locale.ts'
import type { PartLocale } from './chat-locale.ts'
import { englishParts } from './english-parts.ts'

/** The words of the parts: a standalone card does not load those of the box. */
export function usePartLocale(): PartLocale {
  return useContext(LocaleContext) ?? englishParts
}
