import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords, words } from '../locale/words.ts'
import { isBoolean, useKept } from './kept.ts'

/** Browsers that show no notifications, or none at this address, have no such thing. */
const canNotify = typeof Notification !== 'undefined' && isSecureContext

/** Whether the browser says it when something waits. Off until somebody turns it on; this browser remembers it. */
export interface Notifying {
  isOn: boolean
  /** Undefined where the browser cannot, or was told never to. */
  set: ((isOn: boolean) => Promise<void>) | undefined
}

export function useNotifying(): Notifying {
  const [isWanted, setWanted] = useKept('notify', false, isBoolean)
  const [permission, setPermission] = useState(canNotify ? Notification.permission : 'denied')
  return {
    isOn: isWanted && permission === 'granted',
    set:
      permission === 'denied'
        ? undefined
        : async isOn => {
            const answer = isOn ? await Notification.requestPermission().catch(() => 'denied' as const) : permission
            setPermission(answer)
            setWanted(isOn && answer === 'granted')
          },
  }
}

/** Turns it on and off. The browser asks once. */
export function NotifyButton({ notifying: { isOn, set } }: { notifying: Notifying }): ReactNode {
  const { inbox, palette } = useWords()
  if (set === undefined) return null
  return (
    <p className="inbox-notify">
      <button type="button" className="button" data-kind="quiet" aria-pressed={isOn} onClick={() => void set(!isOn)}>
        {isOn ? palette.notificationsOn : inbox.notify}
      </button>
    </p>
  )
}

/** Says it through the browser when more calls wait than before and the page is out of view. */
export function useNotify(waiting: number, isOn: boolean): void {
  const before = useRef(waiting)
  useEffect(() => {
    const isMore = waiting > before.current
    before.current = waiting
    if (!isMore || !document.hidden || !isOn) return
    const icon = new URL('./icon-192.png', document.baseURI).href
    const notification = new Notification(words().inbox.notification(waiting), { tag: 'argot', icon })
    notification.onclick = () => {
      window.focus()
      notification.close()
    }
  }, [waiting, isOn])
}
