import type { ReactNode } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import { useMessageIds } from '../hooks/use-chat.ts'
import { useClock } from '../hooks/use-clock.ts'
import { useMessageHead } from '../hooks/use-message.ts'
import { useValue } from '../hooks/use-value.ts'
import { useLocale } from '../locale/frame-locale.ts'
import { isServerGone } from '../store/run/is-server-gone.ts'
import { isSendFailure } from './log/send-failure.tsx'

export interface LostBarProps {
  /** The page's message about the server; a message about the run itself replaces it. */
  notice?: ReactNode
}

/** Says that the connection is lost and when the next try is; also shows errors that no message shows. */
export function LostBar({ notice }: LostBarProps): ReactNode {
  const { box, card } = useLocale()
  const store = useChatStore()
  const lost = useValue(store.lost)
  const error = useValue(store.error)
  const now = useClock(lost !== undefined)
  const last = useMessageHead(useMessageIds().at(-1) ?? '')
  if (lost !== undefined) {
    const seconds = Math.max(0, Math.ceil((lost.retryAt - (now ?? lost.since)) / 1000))
    return (
      <div className="argot-bar" data-part="bar">
        {isServerGone(lost) ? (
          <span className="argot-fail">{box.serverGone(card.clock(lost.since))}</span>
        ) : (
          <span className="argot-num">
            <strong>{box.lost}</strong> {box.runGoesOn(seconds)}
          </span>
        )}
        <button type="button" className="argot-button" data-size="small" onClick={() => store.retryNow()}>
          {box.tryNow}
        </button>
      </div>
    )
  }
  if (error === undefined || error.code === 'STREAM_ERROR') return notice
  // The message itself shows the error.
  if (isSendFailure(error) && last?.role === 'user') return notice
  return (
    <>
      {notice}
      <div className="argot-bar" data-part="bar" role="alert">
        <span className="argot-fail">{error.message}</span>
        {isSendFailure(error) && (
          <button type="button" className="argot-button" data-size="small" onClick={() => void store.regenerate()}>
            {box.retry}
          </button>
        )}
      </div>
    </>
  )
}
