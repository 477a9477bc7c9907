import type { MessagePart, Role } from '@argot/core'

export type ChatMessagePart = MessagePart

export type ChatRole = Role

/** A message from Argot, MUI X Chat or the AI SDK. Missing values (text ids, call keys, a status) are filled in. */
export interface ChatMessageInput {
  id: string
  role: string
  parts: readonly ({ type: string } | { type: string; [field: string]: unknown })[]
  status?: string | undefined
  metadata?: unknown
  createdAt?: string | undefined
}
