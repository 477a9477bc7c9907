import type { Message, Role } from '@argot/core'
import { type MessageStatus, withPhases } from '@argot/core/stream/internal'
import type { ChatMessageInput } from '../types/index.ts'
import { readParts } from './read-part.ts'

const roles: ReadonlySet<string> = new Set<Role>(['system', 'developer', 'user', 'assistant', 'tool'])
const statuses: ReadonlySet<unknown> = new Set<MessageStatus>(['streaming', 'sent', 'cancelled', 'error'])

/**
 * Converts a message from Argot, MUI X Chat or the AI SDK to Argot's form. An assistant's texts without a phase get one
 * from the commentary rule.
 */
export function readMessage(input: ChatMessageInput): Message {
  const message = {
    ...input,
    id: String(input.id),
    role: roles.has(input.role) ? input.role : 'user',
    status: statuses.has(input.status) ? input.status : 'sent',
    parts: Array.isArray(input.parts) ? readParts(input.parts) : [],
  } as Message
  return message.role === 'assistant' ? withPhases(message) : message
}
