import { createElement, type ReactNode } from 'react'
import { useChatStore, useOptionalChat } from '../hooks/chat-context.ts'
import { rendererOf } from '../hooks/use-chat-part-renderer.ts'
import { usePart } from '../hooks/use-message.ts'
import { PartBoundary } from '../parts/part-boundary.tsx'

export interface CustomPartProps {
  messageId: string
  index: number
  /** What is drawn where nobody registered a renderer, or where it throws. */
  children: ReactNode
}

/** A part as the application draws it, else as the box does. The renderer is mounted as a component. */
export function CustomPart({ messageId, index, children }: CustomPartProps): ReactNode {
  const store = useChatStore()
  const chat = useOptionalChat()
  const part = usePart(messageId, index)
  const renderer = part && rendererOf(chat?.partRenderers, part.type)
  const record = store.conversation.record(messageId)
  if (part === undefined || renderer === undefined || record === undefined) return children
  const message = record.message()
  const { onToolCall } = store.handlers
  return (
    <PartBoundary fallback={children} onError={error => store.reportRenderError(error)}>
      <div data-argot-part={index}>{createElement(renderer, { part, message, index, onToolCall })}</div>
    </PartBoundary>
  )
}
