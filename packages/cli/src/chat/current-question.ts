import { setTimeout as sleep } from 'node:timers/promises'
import type { Key } from '../composer/key.ts'
import { type Panel, PanelGate } from './panel.ts'

const PATIENCE_MS = 300

export interface CurrentQuestionOptions {
  isDraft: () => boolean
  /** A new question appeared that the user didn't expect. */
  onNewQuestion: () => void
  /** Several keys arrived together, so they answered nothing. */
  onRefused: () => void
  onChange: () => void
  now?: () => number
}

export class CurrentQuestion {
  readonly #options: CurrentQuestionOptions
  readonly #now: () => number
  readonly #gate = new PanelGate()
  readonly #shown = new Set<string>()
  readonly #waiting = new Map<string, () => void>()
  #current: { panel: Panel; end: () => void } | undefined

  constructor(options: CurrentQuestionOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  get panel(): Panel | undefined {
    return this.#current?.panel
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
        if (this.#current?.panel === panel) this.#current = undefined
        resolve(answer)
        this.#options.onChange()
      }
      const onAbort = (): void => end()
      const panel = create(end)
      this.#current = { panel, end: onAbort }
      this.#gate.show(this.#now(), isFollowUp)
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) return onAbort()
      if (!isFollowUp) this.#options.onNewQuestion()
      this.#options.onChange()
    })
  }

  /** Takes a key, one of `count` that arrived together. False if the key belongs to the composer. */
  key(key: Key, count: number): boolean {
    const now = this.#now()
    if (this.#current !== undefined) {
      const { panel } = this.#current
      const context = { isDraft: this.#options.isDraft(), takesText: panel.takesText === true }
      const target = this.#gate.routeKeys(now, count, context)
      if (target === 'panel') panel.key(key)
      else if (target === 'nowhere' && count > 1) this.#options.onRefused()
      if (target !== 'composer') return true
    }
    this.#gate.noteTyped(now)
    return false
  }

  end(): void {
    this.#current?.end()
  }

  /** Everything up to this approval id or call id has been shown. */
  noteShown(id: string): void {
    this.#shown.add(id)
    this.#waiting.get(id)?.()
  }

  async untilShown(id: string): Promise<void> {
    if (this.#shown.has(id)) return
    const untilOpen = new Promise<void>(resolve => this.#waiting.set(id, resolve))
    await Promise.race([untilOpen, sleep(PATIENCE_MS, undefined, { ref: false })])
    this.#waiting.delete(id)
  }
}
