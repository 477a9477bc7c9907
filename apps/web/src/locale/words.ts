import { type ChatLocale, englishChat } from '@argot/react'
import { useSyncExternalStore } from 'react'
import { english } from './english.ts'
import type { PageLocale } from './page-locale.ts'

interface Words {
  code: string
  page: PageLocale
  chat: ChatLocale
}

interface Language {
  code: string
  /** In the language itself. */
  name: string
  direction: 'ltr' | 'rtl'
  load: () => Promise<Omit<Words, 'code'>>
}

export const languages: readonly Language[] = [
  { code: 'en', name: 'English', direction: 'ltr', load: async () => ({ page: english, chat: englishChat }) },
  {
    code: 'de',
    name: 'Deutsch',
    direction: 'ltr',
    load: async () => {
      const [page, chat] = await Promise.all([import('./german.ts'), import('@argot/react/locales/de')])
      return { page: page.german, chat: chat.german }
    },
  },
  {
    code: 'ja',
    name: '日本語',
    direction: 'ltr',
    load: async () => {
      const [page, chat] = await Promise.all([import('./japanese.ts'), import('@argot/react/locales/ja')])
      return { page: page.japanese, chat: chat.japanese }
    },
  },
  {
    code: 'ar',
    name: 'العربية',
    direction: 'rtl',
    load: async () => {
      const [page, chat] = await Promise.all([import('./arabic.ts'), import('@argot/react/locales/ar')])
      return { page: page.arabic, chat: chat.arabic }
    },
  },
]

const key = 'argot page language'
let current: Words = { code: 'en', page: english, chat: englishChat }
const listeners = new Set<() => void>()

/** For text outside a component, such as an error. */
export function words(): PageLocale {
  return current.page
}

const get = (): Words => current

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useWords(): PageLocale {
  return useSyncExternalStore(subscribe, get).page
}

export function useLanguage(): Words {
  return useSyncExternalStore(subscribe, get)
}

/** Changes the page's language and remembers it. If the words can't be loaded, the page keeps its language. */
export async function chooseLanguage(code: string): Promise<void> {
  await show(code)
  try {
    localStorage.setItem(key, code)
  } catch {
    // No storage left, or not allowed: the language lasts as long as the page.
  }
}

/** Shows the language chosen in this browser, or else the first of the browser's languages that has words. */
export async function startLanguage(): Promise<void> {
  const wishes = [storedCode(), ...navigator.languages.map(tag => tag.split('-')[0])]
  const code = wishes.find(wish => languages.some(one => one.code === wish)) ?? 'en'
  await show(code).catch(() => {})
}

async function show(code: string): Promise<void> {
  const language = languages.find(one => one.code === code)
  if (language === undefined) return
  current = { code, ...(await language.load()) }
  document.documentElement.lang = code
  document.documentElement.dir = language.direction
  for (const tell of listeners) tell()
}

function storedCode(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}
