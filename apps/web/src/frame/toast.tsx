import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { Icon } from './icon.tsx'

export interface ToastProps {
  words: string
  /** Shown as an error, which stays until it is closed. */
  isProblem?: boolean | undefined
  action?: { label: string; act: () => void } | undefined
  onClose: () => void
}

const VISIBLE_MS = 20_000

/** Closes after 20 s, but not while it is hovered or focused. */
export function Toast({ words, isProblem = false, action, onClose }: ToastProps): ReactNode {
  const { close } = useWords()
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld || isProblem) return
    const timer = setTimeout(onClose, VISIBLE_MS)
    return () => clearTimeout(timer)
  }, [isHeld, isProblem, onClose])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while someone is there
    <div
      className="toast"
      data-tone={isProblem ? 'fail' : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span role={isProblem ? 'alert' : 'status'}>{words}</span>
      {action !== undefined && (
        <button type="button" className="button" data-kind="small" onClick={action.act}>
          {action.label}
        </button>
      )}
      <button type="button" className="icon-button" aria-label={close} onClick={onClose}>
        <Icon name="cross" />
      </button>
    </div>
  )
}
