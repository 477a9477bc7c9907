import type { MessagePart } from '../../message/message.ts'

/** One part of a message that may still change. */
export interface Slot {
  /** Where it stands in its list; set by the list. */
  index: number
  /** The part as it is now; the same object until something changes. */
  part(): MessagePart
}

/** The parts of a message in their order, with snapshots that share every unchanged part with the one before. */
export class PartList {
  readonly #slots: Slot[] = []
  #snapshot: readonly MessagePart[] = []
  /** The slots whose part is newer than the snapshot. */
  readonly #changed: Set<Slot> = new Set()

  get length(): number {
    return this.#slots.length
  }

  get slots(): readonly Slot[] {
    return this.#slots
  }

  get changed(): boolean {
    return this.#changed.size > 0 || this.#snapshot.length !== this.#slots.length
  }

  add(slot: Slot): void {
    slot.index = this.#slots.length
    this.#slots.push(slot)
    this.#changed.add(slot)
  }

  touch(slot: Slot): void {
    this.#changed.add(slot)
  }

  /** Removes everything from `index` on and returns it. */
  truncate(index: number): Slot[] {
    const removed = this.#slots.splice(index)
    for (const slot of removed) this.#changed.delete(slot)
    this.#snapshot = this.#snapshot.slice(0, index)
    return removed
  }

  /** The parts as they are now; the same list while nothing changed. */
  snapshot(): readonly MessagePart[] {
    if (!this.changed) return this.#snapshot
    const parts = this.#snapshot.slice()
    for (const slot of this.#changed) parts[slot.index] = slot.part()
    this.#changed.clear()
    this.#snapshot = parts
    return parts
  }
}

/** A part that is whole from the start; only a data part is ever replaced. */
export class PlainSlot implements Slot {
  index = 0
  value: MessagePart

  constructor(value: MessagePart) {
    this.value = value
  }

  part(): MessagePart {
    return this.value
  }
}
