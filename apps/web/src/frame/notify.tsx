import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords, words } from '../locale/words.ts'

/** Browsers that show no notifications, or none at this address, have no such thing. */
const canNotify = typeof Notification !== 'undefined' && isSecureContext

/** Asks once whether the browser may say it when something waits; gone when that is decided. */
export function NotifyButton(): ReactNode {
  const { inbox: words } = useWords()
  const [state, setState] = useState(canNotify ? Notification.permission : 'denied')
  if (state !== 'default') return null
  return (
    <p className="inbox-notify">
      <button
        type="button"
        className="button"
        data-kind="quiet"
        onClick={() => void Notification.requestPermission().then(setState, () => setState('denied'))}
      >
        {words.notify}
      </button>
    </p>
  )
}

/** Says it through the browser when more calls wait than before and the page is out of view. */
export function useNotify(waiting: number): void {
  const before = useRef(waiting)
  useEffect(() => {
    const isMore = waiting > before.current
    before.current = waiting
    if (!isMore || !document.hidden || !canNotify || Notification.permission !== 'granted') return
    const notification = new Notification(words().inbox.notification(waiting), { tag: 'argot' })
    notification.onclick = () => {
      window.focus()
      notification.close()
    }
  }, [waiting])
}
