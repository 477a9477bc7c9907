import type { Message, MessagePart } from '../../message/message.ts'

/** Field by field: a spread costs several times as much, and this runs once per snapshot. */
export function withParts(fields: Omit<Message, 'parts'>, parts: readonly MessagePart[]): Message {
  const message: Message = { id: fields.id, role: fields.role, status: fields.status, parts }
  if (fields.metadata !== undefined) message.metadata = fields.metadata
  if (fields.createdAt !== undefined) message.createdAt = fields.createdAt
  if (fields.finishReason !== undefined) message.finishReason = fields.finishReason
  if (fields.errorText !== undefined) message.errorText = fields.errorText
  return message
}

/** What a message is before its first part. */
export function newFields(id: string, now: number): Omit<Message, 'parts'> {
  return { id, role: 'assistant', status: 'streaming', createdAt: new Date(now).toISOString() }
}
