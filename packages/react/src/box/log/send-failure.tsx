import type { ReactNode } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'

/** Below a message that could not be sent or got no answer: the reason, and a button to try again. */
export function SendFailure(): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const error = useValue(store.error)
  if (error === undefined || !isSendFailure(error)) return null
  return (
    <div className="argot-end argot-unsent" role="alert">
      <p className="argot-fail">{error.message}</p>
      <button type="button" className="argot-button" data-size="small" onClick={() => void store.regenerate()}>
        {box.retry}
      </button>
    </div>
  )
}

export function isSendFailure({ code }: { code: string }): boolean {
  return code === 'SEND_ERROR' || code === 'REGENERATE_ERROR'
}
