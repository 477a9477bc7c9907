import type { TrialCase } from '@argot/agent/internal'
import { english } from '@argot/core/stream'
import type { Io } from '../../io/io.ts'
import { safeText } from '../../io/safe-text.ts'
import { cutEnd } from '../../io/width.ts'
import { Screen } from '../screen.ts'

/** Shows on a terminal how far a trial is; in a pipe, and with `--quiet`, it shows nothing. */
export class TrialProgress {
  readonly #screen: Screen | undefined
  readonly #total: number
  readonly #from: number = performance.now()
  readonly #clock: NodeJS.Timeout | undefined
  readonly #told: Set<string> = new Set()
  #done = 0
  #solved = 0
  #now = ''

  constructor(io: Pick<Io, 'stderr' | 'env'>, total: number, quiet: boolean) {
    const isShown = io.stderr.isTTY === true && io.env.TERM !== 'dumb' && !quiet
    this.#screen = isShown ? new Screen(io.stderr) : undefined
    this.#total = total
    // One reply of a slow model takes minutes, and the time must not seem to stand still.
    this.#clock = isShown ? setInterval(() => this.#draw(), 1000) : undefined
  }

  /** A task is being tried. */
  start(syntax: string, task: string): void {
    this.#now = `${syntax} · ${task}`
    this.#draw()
  }

  add({ solved }: TrialCase): void {
    this.#done++
    if (solved) this.#solved++
    this.#draw()
  }

  /** Something that stays on the screen. Every task may say the same, so it is shown once. */
  tell(text: string): void {
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.#screen?.append(`${safeText(text)}\n`)
  }

  end(): void {
    clearInterval(this.#clock)
    this.#screen?.showLive([])
  }

  #draw(): void {
    const screen = this.#screen
    if (screen === undefined) return
    const time = english.duration(performance.now() - this.#from)
    const line = `${this.#done}/${this.#total} · ${this.#solved} solved · ${time}${this.#left()} · ${this.#now}`
    screen.showLive([cutEnd(safeText(line).replaceAll('\n', ' '), screen.columns - 1)])
  }

  /** How long the rest takes, if it takes as long as what is done. */
  #left(): string {
    if (this.#done < 3 || this.#done === this.#total) return ''
    const passed = performance.now() - this.#from
    return `, ${english.duration((passed / this.#done) * (this.#total - this.#done))} left`
  }
}
