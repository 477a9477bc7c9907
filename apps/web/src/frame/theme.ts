import { useEffect } from 'react'
import { useStoredSetting } from './stored-setting.ts'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

function isTheme(value: unknown): value is Theme {
  return (themes as readonly unknown[]).includes(value)
}

/** The page's colours: the system's, unless this browser remembers a choice. */
export function useTheme(): [theme: Theme, set: (theme: Theme) => void] {
  const [theme, set] = useStoredSetting<Theme>('theme', 'system', isTheme)
  useEffect(() => {
    const { dataset } = document.documentElement
    if (theme === 'system') delete dataset.theme
    else dataset.theme = theme
  }, [theme])
  return [theme, set]
}
