import { useEffect } from 'react'
import { usePendingCalls } from '../hooks/use-chat.ts'
import { useLocale } from '../locale/frame-locale.ts'

/** Marks the page's title while calls wait for the person: "● Needs you – …". For pages that are one chat. */
export function useTitleMark(): void {
  const { box } = useLocale()
  const needsYou = usePendingCalls().length > 0
  useEffect(() => {
    if (!needsYou) return
    const { title } = document
    document.title = box.titleMark + title
    return () => {
      if (document.title === box.titleMark + title) document.title = title
    }
  }, [needsYou, box])
}
