import type { Message, MessagePart, Role, ToolApproval, ToolState } from 'argot'

/** One message of a conversation, its parts in the order in which the model wrote them. */
export type ChatMessage = Message

export type ChatMessagePart = MessagePart

export type ChatRole = Role

export type ChatToolInvocationState = ToolState

/** The question put to a person and, once given, the answer. */
export type ChatToolApproval = ToolApproval

/**
 * A message from somewhere else: one of ours, of MUI X Chat or of the AI SDK. What it leaves out (ids of texts, keys of
 * calls, a status) is filled in.
 */
export interface ChatMessageInput {
  id: string
  role: string
  parts: readonly { type: string }[]
  status?: string | undefined
  metadata?: unknown
  createdAt?: string | undefined
}
