import { type ComponentType, memo, type ReactNode, useEffect, useRef } from 'react'
import { useIsClient } from '../bodies/use-is-client.ts'
import { useChatStore } from '../hooks/chat-context.ts'
import { useMessageHead } from '../hooks/use-message.ts'
import { useLocale } from '../locale/frame-locale.ts'
import { AnswerActions, MessageBranches } from './actions/answer-actions.tsx'
import { ChatMessageContent } from './chat-message-content.tsx'
import { RunEnd } from './log/run-end.tsx'
import { SendFailure } from './log/send-failure.tsx'
import { TurnEnd } from './log/turn-end.tsx'

export interface ChatMessageProps {
  messageId: string
  isLast: boolean
}

/** One message of the log, as an article named by its author. */
export const ChatMessage: ComponentType<ChatMessageProps> = memo(function ChatMessage({
  messageId,
  isLast,
}: ChatMessageProps): ReactNode {
  const { box } = useLocale()
  const head = useMessageHead(messageId)
  const row = useRef<HTMLElement>(null)
  useFoldOutOfView(row, messageId, head?.status)
  if (head === undefined) return null
  const { role, createdAt } = head
  const author = role === 'user' ? box.you : role === 'assistant' ? box.assistant : box.role(role)
  return (
    <article
      ref={row}
      className="argot-message argot-column"
      data-part="message"
      data-role={role}
      data-argot-message={messageId}
      tabIndex={-1}
      data-last={isLast ? '' : undefined}
      aria-label={author}
    >
      <div
        className={role === 'user' ? 'argot-bubble' : 'argot-answer'}
        data-part={role === 'user' ? 'bubble' : 'answer'}
      >
        <ChatMessageContent messageId={messageId} />
      </div>
      {role === 'user' && <SentAt messageId={messageId} time={createdAt} />}
      {role === 'user' && isLast && <SendFailure />}
      {role === 'assistant' && <RunEnd messageId={messageId} isLast={isLast} />}
      {role === 'assistant' && <TurnEnd messageId={messageId} />}
      {role === 'assistant' && head.status !== 'streaming' && <AnswerActions messageId={messageId} />}
    </article>
  )
})

function SentAt({ messageId, time }: { messageId: string; time: string | undefined }): ReactNode {
  const { card, box } = useLocale()
  const store = useChatStore()
  const isClient = useIsClient()
  return (
    <div className="argot-sent">
      {time !== undefined && isClient && <time dateTime={time}>{card.clock(Date.parse(time))}</time>}
      <button type="button" className="argot-link" onClick={() => store.edit(messageId)}>
        {box.editMessage}
      </button>
      <MessageBranches messageId={messageId} />
    </div>
  )
}

/** Folds a finished turn's work once it has scrolled out at the top: nothing in view is ever folded. */
function useFoldOutOfView(row: { current: HTMLElement | null }, messageId: string, status: string | undefined): void {
  const { folds } = useChatStore()
  useEffect(() => {
    const element = row.current
    if (element === null || status === 'streaming' || folds.get(messageId) !== undefined) return
    const observer = new IntersectionObserver(
      entries => {
        const entry = entries.at(-1)
        if (entry === undefined || entry.isIntersecting || entry.rootBounds === null) return
        if (entry.boundingClientRect.bottom < entry.rootBounds.top) folds.offer(messageId)
      },
      { root: element.closest('.argot-log') },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [row, messageId, status, folds])
}
