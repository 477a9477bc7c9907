import type { MessageChange } from '../reader/message-change.ts'
import { CallBuilder } from './call-builder.ts'
import type { MessageBuilder } from './message-builder.ts'
import type { Slot } from './part-list.ts'
import { TextBuilder } from './text-builder.ts'

export class MessageCursor {
  readonly #builder: MessageBuilder
  /** Lower than the first version until something is read. */
  #seenVersion = -1
  #count = 0
  /** How much was seen of each text that may still grow, and of the newest string in each such call's input. */
  readonly #lengths: Map<Slot, number> = new Map()
  readonly #strings: Map<Slot, number> = new Map()

  constructor(builder: MessageBuilder) {
    this.#builder = builder
  }

  take(changes: MessageChange[]): void {
    const { parts, head } = this.#builder
    const version = this.#seenVersion
    if (version === parts.version) return
    if (head.changedVersion > version) changes.push({ type: 'message', begins: version < 0, message: head.fields() })
    const unchanged = parts.keptSince(version)
    if (unchanged < this.#count) {
      changes.push({ type: 'removed', from: unchanged })
      this.#count = unchanged
      for (const slot of this.#lengths.keys()) if (slot.index >= unchanged) this.#forget(slot)
    }
    for (const slot of parts.touchedSince(version)) this.#takeSlot(slot, changes)
    this.#seenVersion = parts.version
    this.#count = parts.length
  }

  #takeSlot(slot: Slot, changes: MessageChange[]): void {
    const { index } = slot
    if (index >= this.#count) changes.push({ type: 'added', index, part: slot.part() })
    else if (slot instanceof CallBuilder) changes.push(this.#toChange(slot))
    else {
      const length = this.#lengths.get(slot)
      if (length !== undefined && slot instanceof TextBuilder && slot.length > length) {
        changes.push({ type: 'appended', index, text: slot.since(length) })
      }
      if (slot.changedVersion > this.#seenVersion) changes.push({ type: 'changed', index, part: slot.part() })
    }
    this.#remember(slot)
  }

  #toChange(call: CallBuilder): MessageChange {
    const { index, streaming } = call
    const change = { type: 'changed' as const, index, part: call.part() }
    if (streaming === undefined || call.changedVersion > this.#seenVersion) return change
    const string = streaming.growingString
    if (string === 0 || string !== this.#strings.get(call)) return change
    return { ...change, grown: streaming.grownSince(this.#lengths.get(call) ?? 0) }
  }

  #remember(slot: Slot): void {
    if (slot instanceof TextBuilder && slot.isOpen) {
      this.#lengths.set(slot, slot.length)
      return
    }
    const streaming = slot instanceof CallBuilder ? slot.streaming : undefined
    const string = streaming?.growingString ?? 0
    if (streaming === undefined || string === 0) return this.#forget(slot)
    this.#strings.set(slot, string)
    this.#lengths.set(slot, streaming.growingLength)
  }

  #forget(slot: Slot): void {
    this.#lengths.delete(slot)
    this.#strings.delete(slot)
  }
}
