import { useEffect, useRef } from 'react'
import { useBrowserLayoutEffect } from '../../bodies/use-browser-layout-effect.ts'
import { useChatStore } from '../../hooks/chat-context.ts'
import type { LogPlace } from './log-anchor.ts'
import type { LogScroll } from './log-scroll.ts'

/** A position is stored once the log has not moved for this long. */
const STILL_FOR_MS = 150

/** Brings a log back to its position from before a reload, if its conversation has an id and it was not at its end. */
export function useStoredPlace(scroll: LogScroll, ids: readonly string[]): void {
  const { conversationId, storage } = useChatStore()
  const key = conversationId === undefined ? undefined : `argot-place:${conversationId}`
  const isRestored = useRef(false)
  useBrowserLayoutEffect(() => {
    if (isRestored.current || ids.length === 0) return
    isRestored.current = true
    const place = key === undefined ? undefined : readPlace(storage, key)
    if (place !== undefined && ids.includes(place.messageId)) scroll.seek(place)
  }, [ids, key, storage, scroll])
  useEffect(() => {
    const log = scroll.log.current
    if (log === null || key === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const write = (): void => {
      clearTimeout(timer)
      if (!isRestored.current) return
      const { place } = scroll
      try {
        if (place === undefined) storage?.removeItem(key)
        else storage?.setItem(key, JSON.stringify(place))
      } catch {
        // If the storage is full or forbidden, only the position is lost.
      }
    }
    const later = (): void => {
      clearTimeout(timer)
      timer = setTimeout(write, STILL_FOR_MS)
    }
    log.addEventListener('scroll', later, { passive: true })
    window.addEventListener('pagehide', write)
    return () => {
      clearTimeout(timer)
      log.removeEventListener('scroll', later)
      window.removeEventListener('pagehide', write)
    }
  }, [scroll, key, storage])
}

function readPlace(storage: { getItem(key: string): string | null } | undefined, key: string): LogPlace | undefined {
  try {
    const { messageId, top } = JSON.parse(storage?.getItem(key) ?? '{}') as Partial<LogPlace>
    return typeof messageId === 'string' && Number.isFinite(top) ? { messageId, top: top! } : undefined
  } catch {
    return undefined
  }
}
