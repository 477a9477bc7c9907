import { createElement, type ReactNode } from 'react'
import { PartBoundary } from '../../bodies/part-boundary.tsx'
import { useChatStore, useOptionalChat } from '../../hooks/chat-context.ts'
import { findRenderer } from '../../hooks/use-chat-part-renderer.ts'
import { usePart, usePartType } from '../../hooks/use-message.ts'
import type { ChatPartRenderer } from '../../types/index.ts'

export interface CustomPartProps {
  messageId: string
  index: number
  /** Drawn if no renderer is registered, or if the renderer throws. */
  children: ReactNode
}

/** A part as the application draws it, or else as the box does. The renderer is mounted as a component. */
export function CustomPart({ messageId, index, children }: CustomPartProps): ReactNode {
  const chat = useOptionalChat()
  const type = usePartType(messageId, index)
  const renderer = type && findRenderer(chat?.partRenderers, type)
  if (renderer === undefined) return children
  return (
    <RenderedPart messageId={messageId} index={index} renderer={renderer}>
      {children}
    </RenderedPart>
  )
}

/** Renders with every change of the part, as renderers expect. */
function RenderedPart({
  messageId,
  index,
  renderer,
  children,
}: CustomPartProps & { renderer: ChatPartRenderer }): ReactNode {
  const store = useChatStore()
  const part = usePart(messageId, index)
  const record = store.conversation.record(messageId)
  if (part === undefined || record === undefined) return children
  const message = record.message()
  const { onToolCall } = store.handlers
  return (
    <PartBoundary fallback={children} onError={error => store.reportRenderError(error)}>
      <div data-argot-part={index}>{createElement(renderer, { part, message, index, onToolCall })}</div>
    </PartBoundary>
  )
}
