import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'

/** Older messages are requested when the beginning is this near to the view. */
const nearBeginning = '600px'

/** Shown before the oldest message: loads the previous page when a reader comes near, and shows that it does. */
export function OlderMessages({ scroller }: { scroller: RefObject<HTMLElement | null> }): ReactNode {
  const { box } = useLocale()
  const { history } = useChatStore()
  const { hasOlder, isLoadingOlder } = useValue(history)
  const mark = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!hasOlder || isLoadingOlder || mark.current === null) return undefined
    const observer = new IntersectionObserver(
      entries => {
        // A busy page gets several frames in one call: the last one is the current state.
        if (entries.at(-1)?.isIntersecting === true) void history.older()
      },
      { root: scroller.current, rootMargin: `${nearBeginning} 0px 0px` },
    )
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [history, hasOlder, isLoadingOlder, scroller])
  if (!hasOlder) return null
  return (
    <div ref={mark} className="argot-older argot-column" data-part="older">
      {isLoadingOlder ? (
        <span className="argot-dim">{box.loadingOlder}</span>
      ) : (
        <button type="button" className="argot-link" onClick={() => void history.older()}>
          {box.showOlder}
        </button>
      )}
    </div>
  )
}

/** Placeholder lines while a conversation's first page loads; nothing for the first 150 ms. */
export function LoadingLines(): ReactNode {
  const { box } = useLocale()
  const { isLoading } = useValue(useChatStore().history)
  if (!isLoading) return null
  return (
    <div className="argot-loading argot-column" data-part="loading" role="status" aria-label={box.loading}>
      <span />
      <span />
      <span />
    </div>
  )
}
