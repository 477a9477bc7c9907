import type { ChatLocale } from './chat-locale.ts'
import { englishBox } from './english-box.ts'
import { englishParts } from './english-parts.ts'

/** All English words: those of the parts, and those of the box. */
export const englishChat: ChatLocale = { ...englishParts, box: englishBox }
