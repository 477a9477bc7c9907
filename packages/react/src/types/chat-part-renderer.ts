import type { ChatMessage } from '@argot/core/types'
import type { ReactNode } from 'react'
import type { ChatOnToolCall } from './chat-callbacks.ts'
import type { ChatMessagePart } from './chat-message.ts'

export interface ChatPartRendererProps<Part extends ChatMessagePart = ChatMessagePart> {
  part: Part
  message: ChatMessage
  index: number
  onToolCall?: ChatOnToolCall | undefined
}

/** Draws a part. It is mounted as a component, so it may use hooks. If it throws, the built-in card replaces it. */
export type ChatPartRenderer<Part extends ChatMessagePart = ChatMessagePart> = (
  props: ChatPartRendererProps<Part>,
) => ReactNode

export type ChatPartRendererMap = Partial<{
  [Type in ChatMessagePart['type']]: ChatPartRenderer<Extract<ChatMessagePart, { type: Type }>>
}>
