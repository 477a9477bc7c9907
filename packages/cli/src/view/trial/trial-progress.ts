import type { TrialCase } from '@argot/agent/internal'
import { english } from '@argot/core/stream'
import type { Io } from '../../io/io.ts'
import { safeText } from '../../io/safe-text.ts'
import { cutEnd } from '../../io/width.ts'
import { Screen } from '../screen.ts'

/** Shows a trial's progress on a terminal. Shows nothing in a pipe or with `--quiet`. */
export class TrialProgress {
  readonly #screen: Screen | undefined
  readonly #total: number
  readonly #startedAt: number = performance.now()
  readonly #clock: NodeJS.Timeout | undefined
  readonly #printed: Set<string> = new Set()
  #done = 0
  #solved = 0
  #current = ''

  constructor(io: Pick<Io, 'stderr' | 'env'>, total: number, quiet: boolean) {
    const isShown = io.stderr.isTTY === true && io.env.TERM !== 'dumb' && !quiet
    this.#screen = isShown ? new Screen(io.stderr) : undefined
    this.#total = total
    // A slow model needs minutes for one reply, and the time must keep moving.
    this.#clock = isShown ? setInterval(() => this.#draw(), 1000) : undefined
  }

  start(syntax: string, task: string): void {
    this.#current = `${syntax} · ${task}`
    this.#draw()
  }

  add({ solved }: TrialCase): void {
    this.#done++
    if (solved) this.#solved++
    this.#draw()
  }

  /** Prints text that stays on the screen. Repeated text is printed once, because every task may report the same. */
  tell(text: string): void {
    if (this.#printed.has(text)) return
    this.#printed.add(text)
    this.#screen?.append(`${safeText(text)}\n`)
  }

  end(): void {
    clearInterval(this.#clock)
    this.#screen?.showLive([])
  }

  #draw(): void {
    const screen = this.#screen
    if (screen === undefined) return
    const time = english.duration(performance.now() - this.#startedAt)
    const line = `${this.#done}/${this.#total} · ${this.#solved} solved · ${time}${this.#left()} · ${this.#current}`
    screen.showLive([cutEnd(safeText(line).replaceAll('\n', ' '), screen.columns - 1)])
  }

  #left(): string {
    if (this.#done < 3 || this.#done === this.#total) return ''
    const elapsed = performance.now() - this.#startedAt
    return `, ${english.duration((elapsed / this.#done) * (this.#total - this.#done))} left`
  }
}
