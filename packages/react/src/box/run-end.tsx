import type { ReactNode } from 'react'
import { CopyButton } from '../bodies/copy-button.tsx'
import { jsonText } from '../bodies/json-text.ts'
import { useChatStore } from '../hooks/chat-context.ts'
import { useMessageHead } from '../hooks/use-message.ts'
import { useValue } from '../hooks/use-value.ts'
import { useLocale } from '../locale/locale-context.ts'

/** What is said under a turn that did not come to its own end, with a way on. */
export function RunEnd({ messageId, isLast }: { messageId: string; isLast: boolean }): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const head = useMessageHead(messageId)
  const isReady = useValue(store.status) === 'ready'
  if (head === undefined) return null
  const { status, errorText } = head
  if (status === 'error') {
    return (
      <div className="argot-end" data-tone="fail">
        <p className="argot-fail">{errorText ?? box.failed}</p>
        {isLast && isReady && (
          <button type="button" className="argot-link" onClick={() => void store.regenerate(messageId)}>
            {box.retry}
          </button>
        )}
        <CopyButton name={box.details} value={() => jsonText(store.conversation.record(messageId)?.message())}>
          {box.copyDetails}
        </CopyButton>
      </div>
    )
  }
  if (status !== 'cancelled') return null
  return (
    <div className="argot-end">
      <p>{errorText ?? box.stoppedRun}</p>
      {isLast && isReady && (
        <button type="button" className="argot-link" onClick={() => void store.send({ text: box.continueRun })}>
          {box.continueRun}
        </button>
      )}
    </div>
  )
}
