import {
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { Virtualizer } from 'virtua'
import { useBrowserLayoutEffect } from '../../bodies/use-browser-layout-effect.ts'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useMessageIds, usePendingCalls } from '../../hooks/use-chat.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import { ChatMessage } from '../chat-message.tsx'
import { findRow } from './log-anchor.ts'
import { LogScroll } from './log-scroll.ts'
import { LoadingLines, OlderMessages } from './older-messages.tsx'
import { useLogKeys } from './use-log-keys.ts'
import { useStoredPlace } from './use-stored-place.ts'
import { useVirtualLength } from './use-virtual-length.ts'

export interface ChatLogHandle {
  /** Brings a message onto the page and into view. */
  show(messageId: string): void
  /** The same, and focuses an element inside it, by default its row. */
  goTo(messageId: string, find?: (log: HTMLElement) => HTMLElement | null | undefined): void
  /** Brings something that is on the page into view. */
  reveal(target: Element | Range): void
  /** Focuses the row that had the focus last, or else the newest. */
  focus(): void
  readonly element: HTMLElement | null
}

interface ChatLogProps {
  /** Receives the log's methods. React 18 gives components no `ref`. */
  handle?: RefObject<ChatLogHandle | null>
  children?: ReactNode
}

/** The messages, newest at the end. It follows the end while it grows, and is a single Tab stop. */
export function ChatLog({ handle, children }: ChatLogProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const ids = useMessageIds()
  const isPrinting = useIsPrinting()
  const [scroll] = useState(() => new LogScroll(messageId => store.conversation.ids.get().indexOf(messageId)))
  const isAtEnd = useValue(scroll.isAtEnd)
  const length = useVirtualLength(ids)
  const head = useMemo(() => ids.slice(0, isPrinting ? 0 : length), [ids, length, isPrinting])
  const isVirtual = head.length > 0
  const goTo: ChatLogHandle['goTo'] = (messageId, find = log => findRow(log, messageId)) => {
    scroll.show(messageId)
    scroll.focusOn(() => scroll.log.current && find(scroll.log.current))
  }
  useEffect(() => scroll.attach(), [scroll])
  // `ids` and `isVirtual`: different rows, or rows drawn differently, move the rest
  useBrowserLayoutEffect(() => scroll.settle(), [scroll, ids, isVirtual])
  useStoredPlace(scroll, ids)
  useAnswered(scroll.resume)
  const isOlder = useIsOlder(ids)
  const keys = useLogKeys(scroll.log, goTo)
  useImperativeHandle(handle, () => ({
    show: scroll.show,
    goTo,
    reveal: scroll.reveal,
    focus: keys.focus,
    get element() {
      return scroll.log.current
    },
  }))
  const last = ids.at(-1)
  useEffect(() => {
    if (last !== undefined && store.conversation.record(last)?.head().role === 'user') scroll.toSent()
  }, [last, store, scroll])
  const draw = (id: string): ReactElement => (
    <div key={id} className="argot-row-place" data-live={id === last ? '' : undefined}>
      <ChatMessage messageId={id} isLast={id === last} />
    </div>
  )
  return (
    <div className="argot-log-frame">
      <div
        ref={scroll.log}
        className="argot-log"
        data-part="log"
        role="log"
        aria-live="off"
        aria-label={box.conversation}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is the one stop of the Tab key
        tabIndex={0}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
      >
        <div ref={scroll.content} className="argot-messages">
          {children}
          <LoadingLines />
          <OlderMessages scroller={scroll.log} />
          {isVirtual && (
            <Virtualizer ref={scroll.list} scrollRef={scroll.log} itemSize={160} shift={isOlder} data={head}>
              {draw}
            </Virtualizer>
          )}
          {ids.slice(head.length).map(draw)}
          <Probe probe={scroll.probe} />
        </div>
        <div ref={scroll.spacer} aria-hidden="true" />
      </div>
      {!isAtEnd && <LatestPill onClick={scroll.toEnd} />}
    </div>
  )
}

function useAnswered(onAnswered: (callKeys: readonly string[]) => void): void {
  const pending = usePendingCalls()
  const before = useRef(pending)
  useEffect(() => {
    const answered = before.current.filter(({ callKey }) => pending.every(call => call.callKey !== callKey))
    before.current = pending
    if (answered.length > 0) onAnswered(answered.map(({ callKey }) => callKey))
  }, [pending, onAnswered])
}

/** Whether the new rows were prepended. */
function useIsOlder(ids: readonly string[]): boolean {
  const before = useRef(ids)
  useEffect(() => {
    before.current = ids
  }, [ids])
  const [first] = before.current
  return first !== undefined && ids[0] !== first && ids.includes(first)
}

/**
 * As high as the messages. It is nested deeper than the rows of a virtual list: only then is their change of size
 * reported in the same frame, and not as a loop.
 */
function Probe({ probe }: { probe: RefObject<HTMLDivElement | null> }): ReactNode {
  return (
    <div className="argot-probe" aria-hidden="true">
      <div>
        <div>
          <div>
            <div ref={probe} />
          </div>
        </div>
      </div>
    </div>
  )
}

function LatestPill({ onClick }: { onClick: () => void }): ReactNode {
  const { box } = useLocale()
  const needsYou = usePendingCalls().length > 0
  return (
    // The End key does the same, so Tab need not stop here.
    <button
      type="button"
      className="argot-latest"
      data-part="latest"
      tabIndex={-1}
      data-tone={needsYou ? 'wait' : undefined}
      onClick={onClick}
    >
      {needsYou ? box.latestNeedsYou : box.latest}
      <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 3v10M4 9l4 4 4-4" />
      </svg>
    </button>
  )
}

/** True while the page is printed: then everything must be on it. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const before = (): void => flushSync(() => setPrinting(true))
    const after = (): void => setPrinting(false)
    window.addEventListener('beforeprint', before)
    window.addEventListener('afterprint', after)
    return () => {
      window.removeEventListener('beforeprint', before)
      window.removeEventListener('afterprint', after)
    }
  }, [])
  return isPrinting
}
