import { toolCalls } from '@argot/core'
import { visibleLine } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'
import { CopyButton } from '../../bodies/copy-button.tsx'
import { InlineCode } from '../../bodies/inline-code.tsx'
import { jsonText } from '../../bodies/json/json-text.ts'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useMessageHead } from '../../hooks/use-message.ts'
import { useValue } from '../../hooks/use-value.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import { runSummary } from '../../parts/run/run-summary.ts'

/** The notes below a turn: Argot's notices, and how a turn ended that did not finish normally. */
export function RunEnd({ messageId, isLast }: { messageId: string; isLast: boolean }): ReactNode {
  return (
    <>
      <Notices messageId={messageId} />
      <Ending messageId={messageId} isLast={isLast} />
    </>
  )
}

function Notices({ messageId }: { messageId: string }): ReactNode {
  const { box } = useLocale()
  const notices = useMessageHead(messageId)?.metadata?.notices
  if (!Array.isArray(notices) || notices.length === 0) return null
  return notices.map((notice, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows, and two may say the same
    <p key={index} className="argot-note" data-part="note" data-argot-notice="">
      {`${box.notice}: ${visibleLine(String(notice))}`}
    </p>
  ))
}

function Ending({ messageId, isLast }: { messageId: string; isLast: boolean }): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const head = useMessageHead(messageId)
  const isReady = useValue(store.status) === 'ready'
  if (head === undefined) return null
  const { status, errorText } = head
  if (status === 'error') {
    const { sentence, code } = readError(errorText ?? box.failed)
    return (
      <div className="argot-end" data-part="end" data-tone="fail">
        <p className="argot-fail">
          <InlineCode text={sentence} />
          {code !== undefined && <code data-argot-code="">{code}</code>}
        </p>
        {isLast && isReady && (
          <button
            type="button"
            className="argot-button"
            data-size="small"
            onClick={() => void store.regenerate(messageId)}
          >
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
    <div className="argot-end" data-part="end">
      <p>{errorText ?? <Stopped messageId={messageId} />}</p>
      {isLast && isReady && (
        <button
          type="button"
          className="argot-button"
          data-size="small"
          onClick={() => void store.send({ text: box.continueRun })}
        >
          {box.continueRun}
        </button>
      )}
    </div>
  )
}

/** "Stopped after 24 s", if its calls have times. */
function Stopped({ messageId }: { messageId: string }): ReactNode {
  const { run, call } = useLocale()
  const message = useChatStore().conversation.record(messageId)?.message()
  const { startedAt, endedAt } = runSummary(message === undefined ? [] : toolCalls(message))
  const took = startedAt === undefined || endedAt === undefined ? 0 : endedAt - startedAt
  return run.stopped(took < 1000 ? undefined : call.duration(took))
}

/** An error's sentence, and its code if it begins with one: "MODEL_STREAM_CUT: The model …" */
function readError(text: string): { sentence: string; code: string | undefined } {
  const [, code, sentence] = /^([A-Z][A-Z0-9_]{3,60}): (.+)$/s.exec(text) ?? []
  return sentence === undefined ? { sentence: text, code: undefined } : { sentence, code }
}
