import type { ReactNode } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import { useClock } from '../hooks/use-clock.ts'
import { useValue } from '../hooks/use-value.ts'
import { useLocale } from '../locale/locale-context.ts'

/** After so many tries the server is gone, and not only a connection. */
const serverGoneAfter = 4

/** Says that the connection is lost and when it is tried again; and what went wrong where no message says it. */
export function LostBar(): ReactNode {
  const { box, card } = useLocale()
  const store = useChatStore()
  const lost = useValue(store.lost)
  const error = useValue(store.error)
  const now = useClock(lost !== undefined)
  if (lost !== undefined) {
    const seconds = Math.max(0, Math.ceil((lost.retryAt - (now ?? lost.since)) / 1000))
    return (
      <div className="argot-bar">
        <span>
          {lost.tries < serverGoneAfter ? box.lost(seconds) : box.serverGone(card.clock(lost.since))}{' '}
          <button type="button" className="argot-link" onClick={() => store.retryNow()}>
            {box.tryNow}
          </button>
        </span>
      </div>
    )
  }
  if (error === undefined || error.code === 'STREAM_ERROR') return null
  return (
    <div className="argot-bar" role="alert">
      <span className="argot-fail">{error.message}</span>
      {(error.code === 'SEND_ERROR' || error.code === 'REGENERATE_ERROR') && (
        <button type="button" className="argot-link" onClick={() => void store.regenerate()}>
          {box.retry}
        </button>
      )}
    </div>
  )
}
