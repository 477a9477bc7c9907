import { ResetFilter, type ResetRange } from '@argot/core/stream/internal'
import { Problem } from '../guard/problem.ts'
import type { FeedLine } from '../runs/live/run-feed.ts'
import type { ServerContext } from './server-context.ts'

/** A process that died left the lines after `step`, up to `next`. */
interface LeftStep {
  step: number
  next: number
}

/**
 * A run's log for a client that only appends: a stock client can't remove the parts of a step that was interrupted and
 * repeated. Such parts are left out. If the client already has some of them, its stream has to end.
 */
export class AppendOnlyLog {
  readonly #server: ServerContext
  readonly #run: string
  readonly #filter: ResetFilter
  #left: LeftStep | undefined

  readonly #from: number

  private constructor(server: ServerContext, { run, from, left, resets }: AppendOnlyLogOptions) {
    this.#server = server
    this.#run = run
    this.#from = from
    this.#left = left
    this.#filter = new ResetFilter(resets)
  }

  /** Throws if the client has read something that was taken back, so its copy can't be continued. */
  static async open(server: ServerContext, { run, from }: { run: string; from: number }): Promise<AppendOnlyLog> {
    const isHeld = await server.runs.isHeld(run)
    const { resets = [], openStep, shown = 0, isOver = false } = (await server.runs.summary(run)) ?? {}
    if (isInside(resets, from)) {
      const message = 'The step at this offset was interrupted and redone. Read the stream from the start.'
      throw new Problem(409, 'SERVER_TAKEN_BACK', message, { more: { run } })
    }
    const left = openStep === undefined || isOver || isHeld ? undefined : { step: openStep, next: shown }
    return new AppendOnlyLog(server, { run, from, left, resets })
  }

  /**
   * The lines without what was taken back. `taken back` is the end: the client has part of what the next line takes
   * back.
   */
  async *lines(
    batches: AsyncIterable<readonly FeedLine[]>,
    signal: AbortSignal,
  ): AsyncGenerator<(FeedLine | 'taken back')[]> {
    for await (const batch of batches) {
      let pending: (FeedLine | 'taken back')[] = []
      for (const line of batch) {
        if (this.#left !== undefined && line.o > this.#left.step) {
          yield pending
          pending = []
          const outcome = await this.#untilContinued(this.#left, signal)
          if (outcome === 'lost') return
          if (outcome === 'taken back') return yield [outcome]
        }
        const verdict = this.#filter.take(line)
        if (verdict === 'stop') return yield [...pending, 'taken back']
        if (verdict === 'keep') pending.push(line)
      }
      yield pending
    }
  }

  /**
   * Resolves once a process has written something new in the run: then the left lines are either taken back or stay.
   * `taken back` if the client has part of what was. `lost` if the signal has aborted or the log is no longer there.
   */
  async #untilContinued({ next }: LeftStep, signal: AbortSignal): Promise<'taken back' | 'lost' | 'same'> {
    const { runs } = this.#server
    let isContinued = false
    for await (const lines of runs.read(this.#run, next, signal)) {
      isContinued = lines.length > 0
      if (isContinued) break
    }
    if (!isContinued || signal.aborted) return 'lost'
    this.#left = undefined
    const { resets = [] } = (await runs.summary(this.#run)) ?? {}
    this.#filter.update(resets)
    return isInside(resets, this.#from) ? 'taken back' : 'same'
  }
}

interface AppendOnlyLogOptions {
  run: string
  /** The offset of the first chunk the client wants. It has those before it. */
  from: number
  left: LeftStep | undefined
  resets: readonly ResetRange[]
}

function isInside(resets: readonly ResetRange[], from: number): boolean {
  return resets.some(({ step, reset }) => from > step + 1 && from <= reset)
}
