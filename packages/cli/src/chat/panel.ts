import type { Drawing } from '../composer/draw-editor.ts'
import type { Key } from '../composer/key.ts'
import type { Paint } from '../io/paint.ts'

export interface PanelDrawOptions {
  columns: number
  rows: number
  paint: Paint
  isOpen: boolean
}

/** A question that replaces the composer. */
export interface Panel {
  /** The answer is text, so several keys together are fine. */
  readonly takesText?: boolean
  draw(options: PanelDrawOptions): Drawing
  key(key: Key): void
}

/** A key that arrives sooner after a question was meant for something else. */
export const CALM_MS = 500
/** Within this time after a key, the user is still writing. */
export const WRITING_MS = 1000

interface KeyContext {
  isDraft: boolean
  takesText: boolean
}

/** Decides which keys go to a question, and which to the message the user was writing when it appeared. */
export class PanelGate {
  #shownAt = 0
  #typedAt = Number.NEGATIVE_INFINITY

  /** A question is visible now. One that follows from an answer is expected, so its keys are never too early. */
  show(now: number, isExpected: boolean): void {
    this.#shownAt = isExpected ? now - CALM_MS : now
  }

  noteTyped(now: number): void {
    this.#typedAt = now
  }

  /** Earlier keys don't go to the question. */
  get opensAt(): number {
    return Math.max(this.#shownAt + CALM_MS, this.#typedAt + WRITING_MS)
  }

  /** Decides where keys go. Several together are a paste or were typed blind, so they select nothing. */
  routeKeys(now: number, count: number, { isDraft, takesText }: KeyContext): 'panel' | 'composer' | 'nowhere' {
    if (now >= this.opensAt) return count === 1 || takesText ? 'panel' : 'nowhere'
    return isDraft || now - this.#typedAt < WRITING_MS ? 'composer' : 'nowhere'
  }
}
