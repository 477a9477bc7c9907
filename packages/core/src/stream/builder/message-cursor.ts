import type { MessageChange } from '../message-change.ts'
import type { MessageBuilder } from './message-builder.ts'
import type { Slot } from './part-list.ts'
import { TextBuilder } from './text-builder.ts'

/** How much of one message a reader has seen. */
export class MessageCursor {
  readonly #builder: MessageBuilder
  /** The version of the parts that was seen; below the first before anything was. */
  #seen = -1
  /** How many parts were seen. */
  #count = 0
  /** How much was seen of each text that may still grow. */
  readonly #lengths: Map<Slot, number> = new Map()

  constructor(builder: MessageBuilder) {
    this.#builder = builder
  }

  /** Adds to `changes` what is new. */
  take(changes: MessageChange[]): void {
    const { parts, head } = this.#builder
    const seen = this.#seen
    if (seen === parts.version) return
    if (head.changed > seen) changes.push({ type: 'message', begins: seen < 0, message: head.fields() })
    const kept = parts.keptSince(seen)
    if (kept < this.#count) {
      changes.push({ type: 'removed', from: kept })
      this.#count = kept
      for (const slot of this.#lengths.keys()) if (slot.index >= kept) this.#lengths.delete(slot)
    }
    for (const slot of parts.touchedSince(seen)) this.#takeSlot(slot, changes)
    this.#seen = parts.version
    this.#count = parts.length
  }

  #takeSlot(slot: Slot, changes: MessageChange[]): void {
    const { index } = slot
    if (index >= this.#count) {
      changes.push({ type: 'added', index, part: slot.part() })
    } else {
      const known = this.#lengths.get(slot)
      if (known !== undefined && slot instanceof TextBuilder && slot.length > known) {
        changes.push({ type: 'appended', index, text: slot.since(known) })
      }
      if (slot.changed > this.#seen) changes.push({ type: 'changed', index, part: slot.part() })
    }
    if (slot instanceof TextBuilder && slot.open) this.#lengths.set(slot, slot.length)
    else this.#lengths.delete(slot)
  }
}
