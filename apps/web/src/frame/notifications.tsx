import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords, words } from '../locale/words.ts'
import { isBoolean, useStoredSetting } from './stored-setting.ts'

/** Missing in browsers that show no notifications, or none at this address. */
const canNotify = typeof Notification !== 'undefined' && isSecureContext

/** Whether the browser notifies the user about waiting calls. Off by default; this browser remembers the choice. */
export interface NotificationSetting {
  isOn: boolean
  /** Undefined if the browser can't, or if the user blocked notifications. */
  set: ((isOn: boolean) => Promise<void>) | undefined
}

export function useNotificationSetting(): NotificationSetting {
  const [isWanted, setWanted] = useStoredSetting('notify', false, isBoolean)
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

/** The browser asks for permission once. */
export function NotifyButton({ notifying: { isOn, set } }: { notifying: NotificationSetting }): ReactNode {
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

/** Notifies the user when more calls wait than before and the page is out of view. */
export function useNotifications(waiting: number, isOn: boolean): void {
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
