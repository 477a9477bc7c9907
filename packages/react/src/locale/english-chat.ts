import type { ChatLocale } from './chat-locale.ts'
import { englishBox } from './english-box.ts'
import { englishParts } from './english-parts.ts'
import { englishPickers } from './english-pickers.ts'

export const englishChat: ChatLocale = { ...englishParts, box: englishBox, pickers: englishPickers }
