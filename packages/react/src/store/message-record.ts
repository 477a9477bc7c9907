import type { Message, MessagePart } from '@argot/core'
import { Topic } from './topic.ts'

export type MessageHead = Omit<Message, 'parts'>

/** One place in a message. It stays when its part is taken back, for its subscribers. */
export class PartRecord extends Topic {
  #part: MessagePart | undefined

  readonly get = (): MessagePart | undefined => this.#part

  /** The owner notifies the listeners, after all changes of a frame. */
  put(part: MessagePart | undefined): void {
    this.#part = part
  }
}

/** A message as the page follows it: one subscription for its head, one for the number of its parts, one per part. */
export class MessageRecord {
  readonly id: string
  /** It is in the conversation. A removed message keeps its record, for its subscribers. */
  isPresent = true
  readonly headTopic: Topic = new Topic()
  readonly countTopic: Topic = new Topic()
  readonly anyTopic: Topic = new Topic()
  readonly #records: PartRecord[] = []
  #head: MessageHead
  #count = 0
  #snapshot: Message | undefined

  static placeholder(id: string): MessageRecord {
    const record = new MessageRecord({ id, role: 'assistant', status: 'streaming', parts: [] })
    record.isPresent = false
    return record
  }

  constructor(message: Message) {
    const { parts, ...head } = message
    this.id = message.id
    this.#head = head
    for (const part of parts) this.put(this.#count, part)
    this.#snapshot = message
  }

  readonly head = (): MessageHead => this.#head

  readonly count = (): number => this.#count

  /** The complete message; the same object until something changes. */
  readonly message = (): Message => {
    if (this.#snapshot === undefined) {
      const parts = this.#records.slice(0, this.#count).map(record => record.get()!)
      this.#snapshot = { ...this.#head, parts }
    }
    return this.#snapshot
  }

  at(index: number): PartRecord {
    for (let next = this.#records.length; next <= index; next++) this.#records.push(new PartRecord())
    return this.#records[index]!
  }

  part(index: number): MessagePart | undefined {
    return index < this.#count ? this.#records[index]?.get() : undefined
  }

  setHead(head: MessageHead): void {
    this.#head = head
    this.#snapshot = undefined
  }

  /** Fills or changes the place at `index`, at most one past the end. */
  put(index: number, part: MessagePart): void {
    this.at(index).put(part)
    this.#count = Math.max(this.#count, index + 1)
    this.#snapshot = undefined
  }

  /** Appends to a text. The pieces stay separate in memory until the text is read. */
  append(index: number, text: string): void {
    const part = this.part(index)
    if (part !== undefined && 'text' in part) this.put(index, { ...part, text: part.text + text })
  }

  truncate(from: number): void {
    for (let index = from; index < this.#count; index++) this.#records[index]!.put(undefined)
    this.#count = Math.min(this.#count, from)
    this.#snapshot = undefined
  }
}
