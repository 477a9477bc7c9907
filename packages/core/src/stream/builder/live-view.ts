import type { Message, MessagePart } from '../../message/message.ts'
import type { LiveMessage } from '../reader/live-message.ts'
import type { MessageBuilder } from './message-builder.ts'
import type { MessageFields } from './message-head-builder.ts'

export class LiveView implements LiveMessage {
  readonly #builder: MessageBuilder

  constructor(builder: MessageBuilder) {
    this.#builder = builder
  }

  get id(): string {
    return this.#builder.head.id
  }

  get status(): Message['status'] {
    return this.#builder.head.status
  }

  get length(): number {
    return this.#builder.parts.length
  }

  part(index: number): MessagePart | undefined {
    return this.#builder.parts.slots[index]?.part()
  }

  fields(): MessageFields {
    return this.#builder.head.fields()
  }
}
