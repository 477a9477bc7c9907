import { useContext } from 'react'
import { LocaleContext } from './card-locale.ts'
import type { FrameLocale } from './chat-locale.ts'
import { englishFrame } from './english-box.ts'

export function useLocale(): FrameLocale {
  return useContext(LocaleContext) ?? englishFrame
}
