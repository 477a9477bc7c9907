import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Within this many pixels of the end the view counts as at the end. */
const NEAR = 48
/** A sent message comes to lie this many pixels below the upper edge. */
const SENT_TOP = 24

export interface Follow {
  /** The end is in view, or near. */
  isAtEnd: boolean
  /** Stays where it is, until the reader comes back to the end. */
  stop: () => void
  /** A call was answered: what the reader was at is done, so the end is followed again where it is in view. */
  resume: (callKeys: readonly string[]) => void
  /** Goes to the end, and follows it from now on. */
  toEnd: () => void
  /** Puts the newest message of the person near the upper edge, and follows once the end passes the lower one. */
  toSent: () => void
}

/**
 * Keeps the end of a log in view while it grows, for as long as the reader wants that: scrolling up, touching, selecting,
 * paging, taking the scrollbar or focusing something inside stops it at once, and coming back to the end resumes it.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  spacer: RefObject<HTMLElement | null>,
  probe: RefObject<HTMLElement | null>,
): Follow {
  const isFollowing = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  /** The message that was just sent, while there is room below it. */
  const sent = useRef<string | undefined>(undefined)

  const grow = useCallback(() => {
    const log = scroller.current
    if (log === null) return
    makeRoom(log, content.current, spacer.current, sent.current)
    if (isFollowing.current) log.scrollTop = log.scrollHeight
    setAtEnd(isSeen(log, spacer.current))
  }, [scroller, content, spacer])

  const stop = useCallback(() => {
    isFollowing.current = false
  }, [])

  useEffect(() => {
    const log = scroller.current
    if (log === null || probe.current === null) return
    const observer = new ResizeObserver(grow)
    observer.observe(probe.current)
    observer.observe(log)
    let top = log.scrollTop
    const onScroll = (): void => {
      const atEnd = distance(log) <= NEAR
      const isDown = log.scrollTop > top
      top = log.scrollTop
      if (atEnd && isDown && !isHeld(log)) isFollowing.current = true
      setAtEnd(isSeen(log, spacer.current))
    }
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY < 0) stop()
    }
    const onPress = (event: PointerEvent): void => {
      const x = event.clientX - log.getBoundingClientRect().left - log.clientLeft
      // Beside the content is the scrollbar: on the left where text runs from right to left.
      if (event.target === log && (x < 0 || x >= log.clientWidth)) stop()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (['PageUp', 'Home', 'ArrowUp'].includes(event.key)) stop()
    }
    const onSelect = (): void => {
      const selection = document.getSelection()
      if (selection !== null && !selection.isCollapsed && log.contains(selection.anchorNode)) stop()
    }
    const onFocus = (event: FocusEvent): void => {
      if (event.target !== log) stop()
    }
    log.addEventListener('scroll', onScroll, { passive: true })
    log.addEventListener('wheel', onWheel, { passive: true })
    log.addEventListener('touchstart', stop, { passive: true })
    log.addEventListener('pointerdown', onPress)
    log.addEventListener('keydown', onKey)
    log.addEventListener('focusin', onFocus)
    document.addEventListener('selectionchange', onSelect)
    return () => {
      observer.disconnect()
      log.removeEventListener('scroll', onScroll)
      log.removeEventListener('wheel', onWheel)
      log.removeEventListener('touchstart', stop)
      log.removeEventListener('pointerdown', onPress)
      log.removeEventListener('keydown', onKey)
      log.removeEventListener('focusin', onFocus)
      document.removeEventListener('selectionchange', onSelect)
    }
  }, [scroller, spacer, probe, grow, stop])

  const resume = useCallback(
    (callKeys: readonly string[]) => {
      const log = scroller.current
      if (log === null || !isSeen(log, spacer.current)) return
      const { activeElement } = document
      const call = activeElement?.closest<HTMLElement>('[data-argot-call]')?.dataset.argotCall
      const isAtAnswer = call !== undefined && callKeys.includes(call)
      if (!hasSelection(log) && (isAtAnswer || !hasFocus(log))) isFollowing.current = true
    },
    [scroller, spacer],
  )

  const toEnd = useCallback(() => {
    isFollowing.current = true
    sent.current = undefined
    grow()
  }, [grow])

  const toSent = useCallback(() => {
    const rows = content.current?.querySelectorAll<HTMLElement>('[data-argot-message][data-role="user"]')
    sent.current = rows?.[rows.length - 1]?.dataset.argotMessage
    isFollowing.current = true
    grow()
  }, [content, grow])

  return { isAtEnd, stop, resume, toEnd, toSent }
}

function distance(log: HTMLElement): number {
  return log.scrollHeight - log.scrollTop - log.clientHeight
}

/** Nothing that was said is below the lower edge; the room below a sent message says nothing. */
function isSeen(log: HTMLElement, spacer: HTMLElement | null): boolean {
  return distance(log) - (spacer?.offsetHeight ?? 0) <= NEAR
}

/** Something inside has focus or is selected: the reader is at it, even where the end is near. */
function isHeld(log: HTMLElement): boolean {
  return hasFocus(log) || hasSelection(log)
}

function hasFocus(log: HTMLElement): boolean {
  const { activeElement } = document
  return activeElement !== null && activeElement !== log && log.contains(activeElement)
}

function hasSelection(log: HTMLElement): boolean {
  const selection = document.getSelection()
  return selection !== null && !selection.isCollapsed && log.contains(selection.anchorNode)
}

/** Fills up what is missing below a sent message, so that it can lie at the upper edge. */
function makeRoom(
  log: HTMLElement,
  content: HTMLElement | null,
  spacer: HTMLElement | null,
  sent: string | undefined,
): void {
  if (spacer === null || content === null) return
  const row = sent && content.querySelector<HTMLElement>(`[data-argot-message="${CSS.escape(sent)}"]`)
  const bubble = row ? (row.firstElementChild ?? row) : undefined
  const used = bubble && content.getBoundingClientRect().bottom - bubble.getBoundingClientRect().top
  const room = used === undefined ? 0 : Math.max(0, Math.floor(log.clientHeight - SENT_TOP - used))
  const size = `${room}px`
  if (spacer.style.blockSize !== size) spacer.style.blockSize = size
}
