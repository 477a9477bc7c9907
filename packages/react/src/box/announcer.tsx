import { describeCall } from 'argot'
import { type ReactNode, useLayoutEffect, useState } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import type { ChatLocale } from '../locale/chat-locale.ts'
import { useLocale } from '../locale/locale-context.ts'
import type { ChatEvent } from '../store/chat-event.ts'
import type { ChatStore } from '../store/chat-store.ts'

interface Said {
  number: number
  text: string
}

const nothing: Said = { number: 0, text: '' }

/** What a person who does not see the page hears: the boundaries of runs and calls, each once, and never a token. */
export function Announcer(): ReactNode {
  const store = useChatStore()
  const locale = useLocale()
  const [polite, setPolite] = useState(nothing)
  const [assertive, setAssertive] = useState(nothing)
  useLayoutEffect(
    () =>
      store.onEvent(event => {
        const text = textOf(event, store, locale)
        if (text === undefined) return
        const set = event.type === 'call-asks' ? setAssertive : setPolite
        set(({ number }) => ({ number: number + 1, text }))
      }),
    [store, locale],
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

function textOf(event: ChatEvent, store: ChatStore, { box, call: words }: ChatLocale): string | undefined {
  const { announce } = box
  switch (event.type) {
    case 'run-started':
      return announce.started
    case 'call-asks':
      return announce.asks(nameOf(event.callKey, store, words))
    case 'call-failed':
      return announce.failed(nameOf(event.callKey, store, words))
    case 'run-ended':
      return {
        complete: announce.complete,
        stopped: announce.stopped,
        failed: announce.runFailed,
        waiting: announce.waiting,
      }[event.how]
  }
}

function nameOf(callKey: string, store: ChatStore, locale: ChatLocale['call']): string {
  const call = store.conversation.call(callKey)
  if (call === undefined) return ''
  const { verb, subject } = describeCall(call, { locale })
  return subject === undefined ? verb : `${verb} ${subject}`
}
