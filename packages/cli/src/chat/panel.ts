import type { Drawing } from '../composer/draw-editor.ts'
import type { Key } from '../composer/key.ts'
import type { Paint } from '../io/paint.ts'

export interface PanelLook {
  columns: number
  /** How many rows it may take. */
  rows: number
  paint: Paint
  /** Keys are for it now. */
  isOpen: boolean
}

/** Something that is asked in the place of the composer. */
export interface Panel {
  /** It is answered in words: several keys at a time are no mistake. */
  readonly takesText?: boolean
  draw(look: PanelLook): Drawing
  key(key: Key): void
}

/** A key that comes sooner after a question was meant for something else. */
export const CALM_MS = 500
/** A person who typed within this time is still writing. */
export const WRITING_MS = 1000

interface KeyContext {
  /** There is something in the composer. */
  isDraft: boolean
  takesText: boolean
}

/** Decides which keys are for a question, and which for the message that a person was writing when it appeared. */
export class PanelGate {
  #shownAt = 0
  #typedAt = Number.NEGATIVE_INFINITY

  /** A question is shown now. One that follows from an answer is expected: its keys are not early. */
  show(now: number, isExpected: boolean): void {
    this.#shownAt = isExpected ? now - CALM_MS : now
  }

  /** Keys went into the composer. */
  typed(now: number): void {
    this.#typedAt = now
  }

  /** When keys are for the question. */
  get opensAt(): number {
    return Math.max(this.#shownAt + CALM_MS, this.#typedAt + WRITING_MS)
  }

  /** Where keys go. Several at a time are a paste or were typed blind: they choose nothing. */
  place(now: number, count: number, { isDraft, takesText }: KeyContext): 'panel' | 'composer' | 'nowhere' {
    if (now >= this.opensAt) return count === 1 || takesText ? 'panel' : 'nowhere'
    return isDraft || now - this.#typedAt < WRITING_MS ? 'composer' : 'nowhere'
  }
}
