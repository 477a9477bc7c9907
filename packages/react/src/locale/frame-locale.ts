import { useContext } from 'react'
import { LocaleContext } from './card-locale.ts'
import type { FrameLocale } from './chat-locale.ts'
import { englishFrame } from './english-box.ts'

/** The words of the box around the parts. */
export function useLocale(): FrameLocale {
  return useContext(LocaleContext) ?? englishFrame
}
