import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { firstPlace, type LogPlace, restorePlace } from './keep-place.tsx'

/** A place is written down once the log has not moved for this many milliseconds. */
const STILL_FOR = 150
/** Rows near the place get their real height over some frames; for this many the place is held. */
const FRAMES_HELD = 12

/**
 * Brings a log back to the message and offset at which it was before a reload, where its conversation has an id and it
 * was not at its end.
 */
export function useKeptPlace(
  scroller: RefObject<HTMLElement | null>,
  ids: readonly string[],
  follow: { stop: () => void; bring: (place: LogPlace) => void },
): void {
  const { conversationId, storage } = useChatStore()
  const key = conversationId === undefined ? undefined : `argot-place:${conversationId}`
  const isRestored = useRef(false)
  const { stop, bring } = follow
  useLayoutEffect(() => {
    const log = scroller.current
    if (isRestored.current || log === null || ids.length === 0) return undefined
    isRestored.current = true
    const place = key === undefined ? undefined : readPlace(storage, key)
    if (place === undefined || !ids.includes(place.messageId)) return undefined
    stop()
    bring(place)
    let left = FRAMES_HELD
    let frame = requestAnimationFrame(function hold() {
      restorePlace(log, place)
      if (--left > 0) frame = requestAnimationFrame(hold)
    })
    const release = (): void => cancelAnimationFrame(frame)
    for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
      log.addEventListener(event, release, { once: true, passive: true })
    }
    return undefined
  }, [ids, key, storage, scroller, stop, bring])
  useEffect(() => {
    const log = scroller.current
    if (log === null || key === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const write = (): void => {
      clearTimeout(timer)
      if (!isRestored.current) return
      const place = isNearEnd(log) ? undefined : firstPlace(log)
      try {
        if (place === undefined) storage?.removeItem(key)
        else storage?.setItem(key, JSON.stringify(place))
      } catch {
        // A full or forbidden storage costs the place, and nothing else.
      }
    }
    const later = (): void => {
      clearTimeout(timer)
      timer = setTimeout(write, STILL_FOR)
    }
    log.addEventListener('scroll', later, { passive: true })
    window.addEventListener('pagehide', write)
    return () => {
      clearTimeout(timer)
      log.removeEventListener('scroll', later)
      window.removeEventListener('pagehide', write)
    }
  }, [scroller, key, storage])
}

function isNearEnd(log: HTMLElement): boolean {
  return log.scrollHeight - log.scrollTop - log.clientHeight <= 48
}

function readPlace(storage: { getItem(key: string): string | null } | undefined, key: string): LogPlace | undefined {
  try {
    const { messageId, top } = JSON.parse(storage?.getItem(key) ?? '{}') as Partial<LogPlace>
    return typeof messageId === 'string' && Number.isFinite(top) ? { messageId, top: top! } : undefined
  } catch {
    return undefined
  }
}
