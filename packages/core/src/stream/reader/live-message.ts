import type { Message, MessagePart } from '../../message/message.ts'

/** Nothing is copied: it shows the current state and changes with any chunk. */
export interface LiveMessage {
  readonly id: string
  readonly status: Message['status']
  readonly length: number
  /** The current part, which itself never changes; undefined if there is none. */
  part(index: number): MessagePart | undefined
  fields(): Omit<Message, 'parts'>
}

export function toLiveMessage({ parts, ...fields }: Message): LiveMessage {
  const { id, status } = fields
  return { id, status, length: parts.length, part: index => parts[index], fields: () => fields }
}
