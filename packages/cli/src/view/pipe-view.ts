import type { Chunk, Message } from 'argot'
import { type Io, tell } from '../io.ts'
import { callLine } from './call-line.ts'
import { Calls } from './calls.ts'
import { createPaint, wantsColours } from './paint.ts'
import { safeText } from './safe-text.ts'
import { textOf, type View } from './view.ts'
import { cutEnd } from './width.ts'

const columns = 160

/** A run in a pipe: nothing on stdout, and on stderr one line for each call that is over. */
export class PipeView implements View {
  readonly #io: Io
  readonly #quiet: boolean
  readonly #now: () => number
  readonly #calls: Calls

  constructor(io: Io, options: { quiet?: boolean; now?: () => number } = {}) {
    this.#io = io
    this.#quiet = options.quiet === true
    this.#now = options.now ?? Date.now
    this.#calls = new Calls(this.#now)
  }

  push(chunk: Chunk): Promise<void> | undefined {
    if (this.#quiet) return undefined
    const call = this.#calls.push(chunk)
    if (call?.endedAt === undefined) return undefined
    const paint = createPaint(wantsColours(this.#io, this.#io.stderr))
    const line = callLine(call, { columns, paint, now: this.#now() })
    const why = call.state === 'done' || call.result === undefined ? '' : `: ${cutEnd(call.result, columns)}`
    return tell(this.#io, `${line}${why}\n`)
  }

  quote(message: Message): void {
    if (!this.#quiet) void tell(this.#io, `${message.role}: ${safeText(textOf(message)).trim()}\n`)
  }

  notice(text: string): void {
    if (!this.#quiet) void tell(this.#io, `${safeText(text)}\n`)
  }

  lend<T>(question: () => Promise<T>): Promise<T> {
    return question()
  }

  async end(): Promise<void> {}
}
