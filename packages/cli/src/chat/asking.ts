import { setTimeout as sleep } from 'node:timers/promises'
import type { Key } from '../composer/key.ts'
import { type Panel, PanelGate } from './panel.ts'

const PATIENCE_MS = 300

export interface AskingOptions {
  isDraft: () => boolean
  /** A new question appeared that the user didn't expect. */
  alert: () => void
  /** Several keys arrived together, so they answered nothing. */
  refused: () => void
  changed: () => void
  now?: () => number
}

export class Asking {
  readonly #options: AskingOptions
  readonly #now: () => number
  readonly #gate = new PanelGate()
  readonly #shown = new Set<string>()
  readonly #waiting = new Map<string, () => void>()
  #asked: { panel: Panel; end: () => void } | undefined

  constructor(options: AskingOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  get panel(): Panel | undefined {
    return this.#asked?.panel
  }

  get isOpen(): boolean {
    return this.#now() >= this.#gate.opensAt
  }

  ask<T>(
    create: (done: (answer: T | undefined) => void) => Panel,
    signal: AbortSignal,
    isFollowUp = false,
  ): Promise<T | undefined> {
    return new Promise(resolve => {
      const end = (answer?: T): void => {
        signal.removeEventListener('abort', onAbort)
        if (this.#asked?.panel === panel) this.#asked = undefined
        resolve(answer)
        this.#options.changed()
      }
      const onAbort = (): void => end()
      const panel = create(end)
      this.#asked = { panel, end: onAbort }
      this.#gate.show(this.#now(), isFollowUp)
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) return onAbort()
      if (!isFollowUp) this.#options.alert()
      this.#options.changed()
    })
  }

  /** Takes a key, one of `count` that arrived together. False if the key belongs to the composer. */
  key(key: Key, count: number): boolean {
    const now = this.#now()
    if (this.#asked !== undefined) {
      const { panel } = this.#asked
      const context = { isDraft: this.#options.isDraft(), takesText: panel.takesText === true }
      const place = this.#gate.place(now, count, context)
      if (place === 'panel') panel.key(key)
      else if (place === 'nowhere' && count > 1) this.#options.refused()
      if (place !== 'composer') return true
    }
    this.#gate.typed(now)
    return false
  }

  end(): void {
    this.#asked?.end()
  }

  /** Everything up to this approval id or call id has been shown. */
  saw(id: string): void {
    this.#shown.add(id)
    this.#waiting.get(id)?.()
  }

  async untilShown(id: string): Promise<void> {
    if (this.#shown.has(id)) return
    const isOpen = new Promise<void>(resolve => this.#waiting.set(id, resolve))
    await Promise.race([isOpen, sleep(PATIENCE_MS, undefined, { ref: false })])
    this.#waiting.delete(id)
  }
}
