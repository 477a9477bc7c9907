import { visibleLine } from '@argot/core/stream/internal'
import { useEffect, useState } from 'react'
import { useWords } from '../locale/words.ts'

export interface TitleFacts {
  document: string | undefined
  isInbox: boolean
  /** How many calls wait in all documents. */
  waiting: number
  isRunning: boolean
}

/** The tab's title shows the state: needs you, working, or done while the tab was hidden. */
export function useTitle({ document, isInbox, waiting, isRunning }: TitleFacts): void {
  const { inbox, titles } = useWords()
  const [hasNews, setHasNews] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document has no news yet
  useEffect(() => {
    if (!isRunning) return
    setHasNews(false)
    return () => setHasNews(window.document.hidden)
  }, [isRunning, document])
  useEffect(() => {
    const look = (): void => {
      if (!window.document.hidden) setHasNews(false)
    }
    window.document.addEventListener('visibilitychange', look)
    return () => window.document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(() => {
    const name = visibleLine(document?.replace(/^.*\//, '') ?? 'Argot')
    const mark = waiting > 0 ? inbox.titleWaiting : isRunning ? titles.working : hasNews ? titles.done : ''
    const nothing = waiting > 0 ? mark : inbox.titleNothing
    window.document.title = isInbox ? `${nothing}Argot` : `${mark}${name} – Argot`
  }, [document, isInbox, waiting, isRunning, hasNews, inbox, titles])
}
