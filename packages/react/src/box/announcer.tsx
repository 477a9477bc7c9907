import { questionTool } from '@argot/core/stream/internal'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useBrowserLayoutEffect } from '../bodies/use-browser-layout-effect.ts'
import { useChatStore } from '../hooks/chat-context.ts'
import { describeCall } from '../hooks/words.ts'
import type { FrameLocale } from '../locale/chat-locale.ts'
import { useLocale } from '../locale/frame-locale.ts'
import type { ChatEvent } from '../store/chat-event.ts'
import type { ChatStore } from '../store/chat-store.ts'

interface Announcement {
  number: number
  text: string
}

const nothing: Announcement = { number: 0, text: '' }

/** If a text replaces another within this many milliseconds, only the newer one may be read out. */
const HEARD_AFTER_MS = 150

/** The announcements for screen readers: the boundaries of runs and calls, each once, and never a token. */
export function Announcer(): ReactNode {
  const store = useChatStore()
  const locale = useLocale()
  const [polite, sayPolitely] = useSpeech()
  const [assertive, sayAssertively] = useSpeech()
  useBrowserLayoutEffect(
    () =>
      store.onEvent(event => {
        const text = formatEvent(event, store, locale)
        if (text === undefined) return
        if (event.type === 'call-asks') sayAssertively(text)
        else sayPolitely(text)
      }),
    [store, locale, sayPolitely, sayAssertively],
  )
  return (
    <>
      <div className="argot-hidden" aria-live="polite" aria-atomic="true">
        <span key={polite.number}>{polite.text}</span>
      </div>
      <div className="argot-hidden" aria-live="assertive" aria-atomic="true">
        <span key={assertive.number}>{assertive.text}</span>
      </div>
    </>
  )
}

/** A region's current text, and a function that adds one. Simultaneous texts are announced one after another. */
function useSpeech(): [Announcement, (text: string) => void] {
  const [current, setCurrent] = useState(nothing)
  const waiting = useRef<string[]>([])
  const isSaying = useRef(false)
  const next = useCallback((): void => {
    const text = waiting.current.shift()
    isSaying.current = text !== undefined
    if (text !== undefined) setCurrent(({ number }) => ({ number: number + 1, text }))
  }, [])
  const say = useCallback(
    (text: string): void => {
      waiting.current.push(text)
      if (!isSaying.current) next()
    },
    [next],
  )
  // Counted from the moment a text is on the page, however busy the page is.
  useEffect(() => {
    if (current === nothing) return
    const timer = setTimeout(next, HEARD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [current, next])
  return [current, say]
}

function formatEvent(event: ChatEvent, store: ChatStore, { box, call: words }: FrameLocale): string | undefined {
  const { announce } = box
  switch (event.type) {
    case 'run-started':
      return announce.started
    case 'call-asks':
      return formatQuestion(event.callKey, store, { box, call: words })
    case 'call-failed':
    case 'call-done':
      return formatSentence(event.callKey, store, words)
    case 'run-ended':
      return {
        complete: announce.complete,
        stopped: announce.stopped,
        failed: announce.runFailed,
        waiting: announce.waiting,
      }[event.how]
  }
}

function formatQuestion(
  callKey: string,
  store: ChatStore,
  { box, call: words }: Pick<FrameLocale, 'box' | 'call'>,
): string {
  const call = store.conversation.call(callKey)
  if (call?.toolName !== questionTool) return box.announce.asks(getName(callKey, store, words))
  return box.announce.question(describeCall(call, { locale: words }).subject)
}

function formatSentence(callKey: string, store: ChatStore, locale: FrameLocale['call']): string | undefined {
  const call = store.conversation.call(callKey)
  return call && describeCall(call, { locale }).sentence
}

function getName(callKey: string, store: ChatStore, locale: FrameLocale['call']): string {
  const call = store.conversation.call(callKey)
  if (call === undefined) return ''
  const { verb, subject } = describeCall(call, { locale })
  return subject === undefined ? verb : `${verb} ${subject}`
}
