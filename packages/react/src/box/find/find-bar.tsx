import { isToolPart } from '@argot/core'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { revealKey } from '../../bodies/body-state.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import type { ChatStore } from '../../store/chat-store.ts'
import { widgetKey } from '../../store/folds.ts'
import type { ChatLogHandle } from '../log/chat-log.tsx'
import { findMatches, type Match } from './find-matches.ts'
import { markText } from './mark-text.ts'

/** The page is searched for this many frames. When the second number of frames is left, cut content is shown, too. */
const MOST_FRAMES = 60
const REVEAL_AT_FRAMES_LEFT = 50
/** Once it is found, the match is held in view for this many frames. */
const HOLD_FRAMES = 4

export interface FindBarProps {
  log: RefObject<ChatLogHandle | null>
  onClose: () => void
}

/** Finds a text in the whole conversation, including closed and unmounted content, and opens its place. */
export default function FindBar({ log, onClose }: FindBarProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const matches = useMemo(() => findMatches(store.conversation.messages(), query), [store, query])
  const match = matches[at]
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    markText(undefined, '')
    if (match === undefined) return undefined
    openMatch(store, match)
    log.current?.show(match.messageId)
    let tries = MOST_FRAMES
    let frame = requestAnimationFrame(function look() {
      const { current } = markText(partElement(log.current?.element, match), query)
      if (current !== undefined) log.current?.reveal(current)
      // Content gets its real height when it comes into view, which moves the match.
      if (current !== undefined) tries = Math.min(tries, HOLD_FRAMES)
      if (tries-- <= 0) return
      if (tries === REVEAL_AT_FRAMES_LEFT) revealMatch(store, match)
      frame = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(frame)
  }, [store, log, match, query])
  useEffect(() => () => void markText(undefined, ''), [])
  const go = (step: number): void => {
    if (matches.length > 0) setAt((at + step + matches.length) % matches.length)
  }
  return (
    <search className="argot-bar argot-find" data-part="bar">
      <input
        ref={field}
        className="argot-field argot-grow"
        data-part="field"
        type="search"
        dir="auto"
        aria-label={box.find}
        placeholder={box.find}
        value={query}
        onChange={event => {
          setQuery(event.target.value)
          setAt(0)
        }}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
        }}
      />
      <output className="argot-num">{query === '' ? '' : box.found(at + 1, matches.length)}</output>
      <button type="button" className="argot-link" aria-label={box.findPrevious} onClick={() => go(-1)}>
        <Arrow path="M8 13V3M4 7l4-4 4 4" />
      </button>
      <button type="button" className="argot-link" aria-label={box.findNext} onClick={() => go(1)}>
        <Arrow path="M8 3v10M4 9l4 4 4-4" />
      </button>
      <button type="button" className="argot-link" aria-label={box.close} onClick={onClose}>
        <Arrow path="M4 4l8 8M12 4l-8 8" />
      </button>
    </search>
  )
}

function Arrow({ path }: { path: string }): ReactNode {
  return (
    <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

function openMatch(store: ChatStore, { messageId, index }: Match): void {
  const part = store.conversation.record(messageId)?.part(index)
  if (part === undefined) return
  if (!isToolPart(part)) {
    if (store.folds.get(messageId) === true) store.folds.set(messageId, false, false)
    const isAnswer = part.type === 'text' && part.phase !== 'commentary'
    if (!isAnswer) store.folds.set(widgetKey(messageId), false, false)
    return
  }
  const callKey = `${messageId}/${part.toolInvocation.key}`
  store.folds.reveal(messageId, callKey)
  const ui = store.conversation.ui(callKey)
  for (const section of [undefined, 'input', 'output'] as const) ui.setOpen(section, true)
}

/** Shows the complete input or output with the match, which is in the cut part. */
function revealMatch(store: ChatStore, { messageId, index, sections }: Match): void {
  const part = store.conversation.record(messageId)?.part(index)
  if (part === undefined || !isToolPart(part) || sections.length === 0) return
  const ui = store.conversation.ui(`${messageId}/${part.toolInvocation.key}`)
  const openSections = Object.fromEntries(sections.map(section => [revealKey(section), true]))
  ui.setDraft({ shown: { ...ui.draft.shown, ...openSections } })
}

function partElement(root: HTMLElement | null | undefined, { messageId, index }: Match): Element | undefined {
  const row = root?.querySelector(`[data-argot-message="${CSS.escape(messageId)}"]`)
  return row?.querySelector(`[data-argot-part="${index}"]`) ?? row ?? undefined
}
