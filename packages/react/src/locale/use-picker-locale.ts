import { useContext } from 'react'
import { LocaleContext } from './card-locale.ts'
import { englishPickers } from './english-pickers.ts'
import type { PickerLocale } from './picker-locale.ts'

/** Separate, so that a card or a box without pickers does not load these words. */
export function usePickerLocale(): PickerLocale {
  return useContext(LocaleContext)?.pickers ?? englishPickers
}
