import type { Message, Role } from '../../message/message.ts'
import type { FlatChatMessage, FlatToolCall, ToolActivity } from './flat-chat-message.ts'
import { type StoredChatMessage, storedTime } from './stored-message.ts'

const ownRecords: WeakSet<object> = new WeakSet()

export function createFlatRecord(
  message: Omit<Message, 'parts'>,
  content: string,
  calls: FlatToolCall[],
  toolActivity: ToolActivity,
): FlatChatMessage {
  const createdAt = new Date(storedTime(message as StoredChatMessage) ?? 0)
  const flat: FlatChatMessage = { id: message.id, role: flatRole(message.role), content, createdAt, toolActivity }
  if (calls.length > 0) flat.toolCalls = calls
  ownRecords.add(flat)
  return flat
}

export function isOwnRecord(record: object): boolean {
  return ownRecords.has(record)
}

function flatRole(role: Role): FlatChatMessage['role'] {
  return role === 'developer' || role === 'tool' ? 'system' : role
}
