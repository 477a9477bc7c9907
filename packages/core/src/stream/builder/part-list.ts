import type { MessagePart } from '../../message/message.ts'

export abstract class Slot {
  /** Set by the list. */
  index = 0
  /** The list's version at the last change of any kind. */
  touchedVersion = 0
  /** The list's version at the last change other than text added at the end. */
  changedVersion = 0
  /** The slots touched immediately before and after this one. */
  older: Slot | undefined
  newer: Slot | undefined

  /** The same object until something changes. */
  abstract part(): MessagePart
}

/**
 * Every change has a version, and the slots are linked in the order in which they were last touched. So the changes
 * since any version are found without looking at other slots.
 */
export class PartList {
  readonly #slots: Slot[] = []
  #newest: Slot | undefined
  #snapshot: readonly MessagePart[] = []
  #snapshotVersion = 0
  /** Where the list was cut, and at which version. Both ascend, because a cut hides earlier cuts that left more. */
  readonly #cuts: { version: number; from: number }[] = []
  version = 0

  get length(): number {
    return this.#slots.length
  }

  get slots(): readonly Slot[] {
    return this.#slots
  }

  get hasChanged(): boolean {
    return (this.#newest?.touchedVersion ?? 0) > this.#snapshotVersion || this.#snapshot.length !== this.#slots.length
  }

  add(slot: Slot): void {
    slot.index = this.#slots.length
    this.#slots.push(slot)
    this.touch(slot)
  }

  touch(slot: Slot): void {
    this.grow(slot)
    slot.changedVersion = this.version
  }

  /** The slot's text is longer; nothing else changed. */
  grow(slot: Slot): void {
    slot.touchedVersion = ++this.version
    if (slot === this.#newest) return
    this.#unlink(slot)
    slot.older = this.#newest
    if (this.#newest !== undefined) this.#newest.newer = slot
    this.#newest = slot
  }

  truncate(index: number): Slot[] {
    const removed = this.#slots.splice(index)
    for (const slot of removed) {
      if (slot === this.#newest) this.#newest = slot.older
      this.#unlink(slot)
    }
    this.#snapshot = this.#snapshot.slice(0, index)
    while ((this.#cuts.at(-1)?.from ?? -1) >= index) this.#cuts.pop()
    this.#cuts.push({ version: ++this.version, from: index })
    return removed
  }

  /** How many of the parts at `version` are still there, at most. */
  keptSince(version: number): number {
    let first = this.#cuts.length
    while (first > 0 && this.#cuts[first - 1]!.version > version) first--
    return this.#cuts[first]?.from ?? Number.POSITIVE_INFINITY
  }

  /** In the order of the message. */
  touchedSince(version: number): Slot[] {
    const slots: Slot[] = []
    for (let slot = this.#newest; slot !== undefined && slot.touchedVersion > version; slot = slot.older)
      slots.push(slot)
    return slots.length > 1 ? slots.sort((a, b) => a.index - b.index) : slots
  }

  /** The same list while nothing changes. */
  snapshot(): readonly MessagePart[] {
    if (!this.hasChanged) return this.#snapshot
    const parts = this.#snapshot.slice()
    for (const slot of this.touchedSince(this.#snapshotVersion)) parts[slot.index] = slot.part()
    this.#snapshotVersion = this.version
    this.#snapshot = parts
    return parts
  }

  #unlink(slot: Slot): void {
    if (slot.older !== undefined) slot.older.newer = slot.newer
    if (slot.newer !== undefined) slot.newer.older = slot.older
    slot.older = undefined
    slot.newer = undefined
  }
}

/** A part that is complete from the start. Only data parts are ever replaced. */
export class PlainSlot extends Slot {
  value: MessagePart

  constructor(value: MessagePart) {
    super()
    this.value = value
  }

  part(): MessagePart {
    return this.value
  }
}
