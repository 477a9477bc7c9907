import type { Message, MessagePart } from '../../message/message.ts'
import { defineLazily } from './lazy-property.ts'
import { MergedMetadata, type Metadata } from './metadata.ts'

export type MessageFields = Omit<Message, 'parts'>

export class MessageHeadBuilder {
  readonly id: string
  readonly #role: Message['role']
  readonly #createdAt: string | undefined
  #metadata: MergedMetadata | undefined
  status: Message['status']
  finishReason: Message['finishReason']
  errorText: string | undefined
  /** The version of the parts at its last change. */
  changedVersion = 0

  constructor(fields: MessageFields) {
    this.id = fields.id
    this.#role = fields.role
    this.#createdAt = fields.createdAt
    if (fields.metadata !== undefined) this.addMetadata(fields.metadata)
    this.status = fields.status
    this.finishReason = fields.finishReason
    this.errorText = fields.errorText
  }

  static begin(id: string, now: number): MessageHeadBuilder {
    return new MessageHeadBuilder({
      id,
      role: 'assistant',
      status: 'streaming',
      createdAt: new Date(now).toISOString(),
    })
  }

  addMetadata(metadata: Metadata): void {
    this.#metadata = new MergedMetadata(this.#metadata, metadata)
  }

  message(parts: readonly MessagePart[]): Message {
    const message: Message = { id: this.id, role: this.#role, status: this.status, parts }
    this.#fill(message)
    return message
  }

  fields(): MessageFields {
    const fields: MessageFields = { id: this.id, role: this.#role, status: this.status }
    this.#fill(fields)
    return fields
  }

  /** Field by field: a spread costs several times as much, and this runs once per snapshot. */
  #fill(fields: MessageFields): void {
    const metadata = this.#metadata
    if (metadata?.isBuilt === true) fields.metadata = metadata.value
    else if (metadata !== undefined) defineLazily(fields, 'metadata', metadata)
    if (this.#createdAt !== undefined) fields.createdAt = this.#createdAt
    if (this.finishReason !== undefined) fields.finishReason = this.finishReason
    if (this.errorText !== undefined) fields.errorText = this.errorText
  }
}
