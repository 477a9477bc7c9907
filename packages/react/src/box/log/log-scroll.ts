import type { RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { Value } from '../../store/topic.ts'
import { findRow, LogAnchor, type LogPlace } from './log-anchor.ts'

/** The view is at the end if it is within this many pixels of it. */
const NEAR = 48
/** A sent message is placed this many pixels below the upper edge. */
const SENT_TOP = 24
/** A view that has not moved for this long has no momentum left. */
const STILL_AFTER_MS = 150
/** A virtual list needs some frames to draw a row. */
const MOST_FRAMES = 30

/**
 * Owns a log's scroll position: no other module writes it. The view is in one of two states. It follows the end, or it
 * holds an anchor: the element at the upper edge stays there, whatever grows, shrinks, arrives or is drawn differently.
 * Only the reader moves the anchor. Scrolling up, touching, selecting, paging, dragging the scrollbar or focusing
 * something inside stops following immediately; coming back to the end resumes it.
 */
export class LogScroll {
  readonly log: RefObject<HTMLDivElement | null> = { current: null }
  readonly content: RefObject<HTMLDivElement | null> = { current: null }
  /** Room below a message that was just sent. */
  readonly spacer: RefObject<HTMLDivElement | null> = { current: null }
  /** As high as the messages; its size changes after that of every row. */
  readonly probe: RefObject<HTMLDivElement | null> = { current: null }
  readonly list: RefObject<VirtualizerHandle | null> = { current: null }
  readonly isAtEnd: Value<boolean> = new Value(true)
  readonly #indexOf: (messageId: string) => number
  #isFollowing = true
  #anchor: LogAnchor | undefined
  /** The anchor is a target that has not been reached yet. */
  #isSeeking = false
  /** The message that was just sent, while there is room below it. */
  #sentId: string | undefined
  /** The scroll position that has been accounted for. */
  #top = 0
  #touchedAt = Number.NEGATIVE_INFINITY
  #anchorFrame: number | undefined
  #seekFrame: number | undefined

  /** `indexOf` returns a message's position in the conversation, −1 if it is not there. */
  constructor(indexOf: (messageId: string) => number) {
    this.#indexOf = indexOf
  }

  /** Watches the log until the returned function is called. */
  readonly attach = (): (() => void) | undefined => {
    const { current: log } = this.log
    const { current: probe } = this.probe
    if (log === null || probe === null) return undefined
    this.#top = log.scrollTop
    const observer = new ResizeObserver(() => this.settle())
    observer.observe(probe)
    observer.observe(log)
    const ended = new AbortController()
    const listen = <T extends Event>(name: string, listener: (event: T) => void, target: EventTarget = log): void =>
      target.addEventListener(name, listener as (event: Event) => void, { passive: true, signal: ended.signal })
    listen('scroll', () => {
      if (this.#isTouched) this.#touchedAt = performance.now()
      this.#onScroll(log)
    })
    listen<WheelEvent>('wheel', ({ deltaY }) => (deltaY < 0 ? this.stop() : this.#release()))
    listen('touchstart', this.stop)
    for (const name of ['touchstart', 'touchmove', 'touchend']) {
      listen(name, () => {
        this.#touchedAt = performance.now()
      })
    }
    listen<PointerEvent>('pointerdown', event => {
      const x = event.clientX - log.getBoundingClientRect().left - log.clientLeft
      // The scrollbar is next to the content: on the left in right-to-left text.
      if (event.target === log && (x < 0 || x >= log.clientWidth)) this.stop()
      else this.#release()
    })
    listen<KeyboardEvent>('keydown', ({ key }) => {
      if (['PageUp', 'Home', 'ArrowUp'].includes(key)) this.stop()
      else this.#release()
    })
    listen<FocusEvent>('focusin', ({ target }) => {
      if (target !== log) this.stop()
    })
    listen('selectionchange', () => hasSelection(log) && this.stop(), document)
    return () => {
      observer.disconnect()
      ended.abort()
      for (const frame of [this.#anchorFrame, this.#seekFrame]) if (frame !== undefined) cancelAnimationFrame(frame)
      this.#anchorFrame = undefined
      this.#seekFrame = undefined
    }
  }

  /** Stays here until the reader comes back to the end. */
  readonly stop = (): void => {
    const { current: log } = this.log
    if (log === null) return
    if (this.#isFollowing || this.#isSeeking) this.#hold(log)
  }

  /** A call was answered: the reader is done with it, so the view follows the end again if that is in view. */
  readonly resume = (callKeys: readonly string[]): void => {
    const { current: log } = this.log
    if (log === null || !this.#isEndInView(log)) return
    const call = document.activeElement?.closest<HTMLElement>('[data-argot-call]')?.dataset.argotCall
    const isAtAnswer = call !== undefined && callKeys.includes(call)
    if (!hasSelection(log) && (isAtAnswer || !hasFocus(log))) this.#isFollowing = true
  }

  /** Goes to the end, and follows it from now on. */
  readonly toEnd = (): void => {
    this.#isFollowing = true
    this.#sentId = undefined
    this.settle()
  }

  /** Puts the person's newest message near the upper edge, and follows once the end passes the lower one. */
  readonly toSent = (): void => {
    const rows = this.content.current?.querySelectorAll<HTMLElement>('[data-argot-message][data-role="user"]')
    this.#sentId = rows?.[rows.length - 1]?.dataset.argotMessage
    this.#isFollowing = true
    this.settle()
  }

  /** Brings a message into view, even if it is not on the page. */
  readonly show = (messageId: string): void => {
    const { current: log } = this.log
    if (log === null) return
    const row = findRow(log, messageId)
    if (row !== null) this.reveal(row)
    else if (this.#indexOf(messageId) >= 0) this.seek({ messageId, top: Math.round(log.clientHeight / 3) })
  }

  /** Scrolls only as far as needed to see an element or a piece of text inside the log. */
  readonly reveal = (target: Element | Range): void => {
    const { current: log } = this.log
    if (target instanceof Element) target.scrollIntoView({ block: 'nearest' })
    else bringIntoView(target)
    if (log !== null) this.#hold(log)
  }

  /** Focuses and reveals an element once it is on the page. */
  readonly focusOn = (find: () => HTMLElement | null | undefined, tries: number = MOST_FRAMES): void => {
    const element = find()
    if (element) {
      element.focus({ preventScroll: true })
      this.reveal(element)
    } else if (tries > 0) requestAnimationFrame(() => this.focusOn(find, tries - 1))
  }

  /** The first message in view; undefined at the end, which needs no restoring. */
  get place(): LogPlace | undefined {
    const { current: log } = this.log
    if (log === null || distance(log) <= NEAR) return undefined
    const place = LogAnchor.at(log)?.place
    return place && { ...place, top: Math.round(place.top) }
  }

  /** Brings a message to a position, and holds it there while the rows around it get their heights. */
  readonly seek = (place: LogPlace): void => {
    this.#isFollowing = false
    this.#anchor = new LogAnchor(place)
    this.#isSeeking = true
    this.settle()
    this.#continueSeeking()
  }

  /** Call it after anything that may have moved the content: it restores the end, or the anchor's position. */
  readonly settle = (): void => {
    const { current: log } = this.log
    if (log === null) return
    // A virtual list scrolls by itself while rows get their heights: that is not the reader.
    if (this.list.current === null) this.#account(log)
    this.#keep(log)
  }

  #onScroll(log: HTMLElement): void {
    if (log.scrollTop !== this.#top) {
      this.#account(log)
      this.#anchorLater(log)
    }
    if (!this.#isFollowing) this.#keep(log)
    this.isAtEnd.set(this.#isEndInView(log))
  }

  /** The reader has scrolled since the position was last accounted for: the anchor moves along. */
  #account(log: HTMLElement): void {
    const by = log.scrollTop - this.#top
    this.#top = log.scrollTop
    // A view that moved up to the end was pushed there, because the content became shorter.
    const isPushed = by < 0 && distance(log) < 1
    if (by === 0 || isPushed || this.#isSeeking) return
    // A virtual list moves rows and view together: the anchor's current position tells how far the reader scrolled.
    if (this.list.current === null) this.#anchor?.scrolled(by)
    else this.#anchor?.measure(log)
    if (this.#anchor?.isInView(log) !== true) this.#anchor = LogAnchor.at(log)
    if (by > 0 && distance(log) <= NEAR && !hasFocus(log) && !hasSelection(log)) this.#isFollowing = true
  }

  #keep(log: HTMLElement): void {
    this.#makeRoom(log)
    if (this.#isFollowing) log.scrollTop = log.scrollHeight
    else this.#restore(log)
    this.#top = log.scrollTop
    this.isAtEnd.set(this.#isEndInView(log))
  }

  #restore(log: HTMLElement): void {
    const anchor = this.#anchor
    if (anchor === undefined) return this.#hold(log)
    const by = anchor.offset(log)
    if (by === undefined) return this.#approach(log, anchor)
    // In Safari, every write ends the momentum of a finger's scroll.
    if (Math.abs(by) > 0.5 && (canWriteWhileTouched || !this.#isTouched)) log.scrollTop += by
    if (this.#isSeeking && Math.abs(anchor.offset(log) ?? 0) <= 1) {
      this.#isSeeking = false
      this.#anchorLater(log)
    }
    if (!this.#isSeeking) anchor.measure(log)
  }

  /** The anchor's message is not on the page: a virtual list draws it if the view is near its position. */
  #approach(log: HTMLElement, { messageId, place }: LogAnchor): void {
    const index = this.#indexOf(messageId)
    if (index < 0 || this.list.current === null) return this.#hold(log)
    this.#isSeeking = true
    this.#continueSeeking()
    log.scrollTop = this.list.current.getItemOffset(index) - place.top
  }

  #continueSeeking(frames: number = MOST_FRAMES): void {
    if (!this.#isSeeking || frames === 0) return
    if (this.#seekFrame !== undefined) cancelAnimationFrame(this.#seekFrame)
    this.#seekFrame = requestAnimationFrame(() => {
      this.#seekFrame = undefined
      if (this.#isSeeking) this.settle()
      this.#continueSeeking(frames - 1)
    })
  }

  #hold(log: HTMLElement): void {
    this.#isFollowing = false
    this.#isSeeking = false
    this.#anchor = LogAnchor.at(log)
    this.#anchor?.measure(log)
    this.#top = log.scrollTop
  }

  /** The reader acts before the target is reached, so the view stays. */
  #release(): void {
    if (this.#isSeeking && this.log.current !== null) this.#hold(this.log.current)
  }

  /** Rows that come into view get their heights in this frame, so the element at the edge is determined after it. */
  #anchorLater(log: HTMLElement): void {
    this.#anchorFrame ??= requestAnimationFrame(() => {
      this.#anchorFrame = requestAnimationFrame(() => {
        this.#anchorFrame = undefined
        if (this.#isFollowing || this.#isSeeking) return
        this.#account(log)
        this.#keep(log)
        if (!this.#isFollowing) this.#hold(log)
      })
    })
  }

  /** A finger or its momentum is moving the view. */
  get #isTouched(): boolean {
    return performance.now() - this.#touchedAt < STILL_AFTER_MS
  }

  /** Whether no content is below the lower edge; the room below a sent message is not content. */
  #isEndInView(log: HTMLElement): boolean {
    return distance(log) - (this.spacer.current?.offsetHeight ?? 0) <= NEAR
  }

  /** Adds the missing room below a sent message, so that it can be at the upper edge. */
  #makeRoom(log: HTMLElement): void {
    const { current: spacer } = this.spacer
    const { current: content } = this.content
    if (spacer === null || content === null) return
    const row = this.#sentId === undefined ? null : findRow(content, this.#sentId)
    const bubble = row?.firstElementChild ?? row
    const used = bubble && content.getBoundingClientRect().bottom - bubble.getBoundingClientRect().top
    const room = used === null ? 0 : Math.max(0, Math.floor(log.clientHeight - SENT_TOP - used))
    const size = `${room}px`
    if (spacer.style.blockSize !== size) spacer.style.blockSize = size
  }
}

const canWriteWhileTouched = typeof CSS !== 'undefined' && CSS.supports('overflow-anchor', 'none')

function distance(log: HTMLElement): number {
  return log.scrollHeight - log.scrollTop - log.clientHeight
}

function hasFocus(log: HTMLElement): boolean {
  const { activeElement } = document
  return activeElement !== null && activeElement !== log && log.contains(activeElement)
}

function hasSelection(log: HTMLElement): boolean {
  const selection = document.getSelection()
  return selection !== null && !selection.isCollapsed && log.contains(selection.anchorNode)
}

/** Scrolls every scroller around a piece of text, only as far as needed: the element around it may be very long. */
export function bringIntoView(range: Range): void {
  for (let around = range.startContainer.parentElement; around !== null; around = around.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(around)
    const [place, view] = [range.getBoundingClientRect(), around.getBoundingClientRect()]
    if (scrolls(overflowY))
      around.scrollTop += distanceOutside(place.top, place.bottom, view.top, view.top + around.clientHeight)
    if (scrolls(overflowX))
      around.scrollLeft += distanceOutside(place.left, place.right, view.left, view.left + around.clientWidth)
  }
}

function scrolls(overflow: string): boolean {
  return overflow === 'auto' || overflow === 'scroll'
}

/** With a margin; 0 if the range is in view. */
function distanceOutside(start: number, end: number, viewStart: number, viewEnd: number): number {
  if (start >= viewStart && end <= viewEnd) return 0
  const air = Math.min(48, Math.max(0, (viewEnd - viewStart - (end - start)) / 2))
  return start < viewStart ? start - viewStart - air : end - viewEnd + air
}
