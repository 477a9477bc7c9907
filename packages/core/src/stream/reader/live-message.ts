import type { Message, MessagePart } from '../../message/message.ts'

/** A message while it is being folded. Nothing is copied: what it shows is what there is now, and changes with any chunk. */
export interface LiveMessage {
  readonly id: string
  readonly status: Message['status']
  /** How many parts it has. */
  readonly length: number
  /** A part as it is now, which itself never changes; undefined where there is none. */
  part(index: number): MessagePart | undefined
  /** Everything but the parts, as it is now. */
  fields(): Omit<Message, 'parts'>
}

/** A message that does not change any more, as one that could. */
export function settledMessage({ parts, ...fields }: Message): LiveMessage {
  const { id, status } = fields
  return { id, status, length: parts.length, part: index => parts[index], fields: () => fields }
}
