import type { MessagePart, Role } from '@argot/core'

export type ChatMessagePart = MessagePart

export type ChatRole = Role

/**
 * A message from somewhere else: one of ours, of MUI X Chat or of the AI SDK. What it leaves out (ids of texts, keys of
 * calls, a status) is filled in.
 */
export interface ChatMessageInput {
  id: string
  role: string
  parts: readonly ({ type: string } | { type: string; [field: string]: unknown })[]
  status?: string | undefined
  metadata?: unknown
  createdAt?: string | undefined
}
