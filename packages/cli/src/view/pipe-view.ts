import type { Chunk, Diagnostic, Message } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { type Io, tell } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { formatExcerpts } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { cutEnd } from '../io/width.ts'
import { type CallWords, headRow, toCallWords } from './call-line.ts'
import { Calls, type ShownCall } from './calls.ts'
import { joinText, toUserMessage, type View } from './view.ts'

const COLUMNS = 160

/** A run in a pipe: nothing on stdout, and one line per finished call on stderr. */
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
    if (chunk.type === 'user-message') this.quote(toUserMessage(chunk))
    const settledCalls = this.#calls.push(chunk).filter(({ call }) => isSettled(call))
    if (settledCalls.length === 0) return undefined
    return tell(this.#io, settledCalls.map(call => this.#line(call)).join(''))
  }

  #line(call: ShownCall): string {
    const now = this.#now()
    const words = toCallWords(call, now)
    const paint = createPaint(wantsColours(this.#io, this.#io.stderr))
    const reason = words.state === 'done' || words.below.length === 0 ? '' : `: ${getReason(words)}`
    return `${headRow(words, { columns: COLUMNS, paint, now, everyTime: true })}${reason}\n`
  }

  quote(message: Message): void {
    if (!this.#quiet) void tell(this.#io, `${message.role}: ${safeText(joinText(message)).trim()}\n`)
  }

  notice(text: string, always = false): void {
    if (always || !this.#quiet) void tell(this.#io, `${safeText(text)}\n`)
  }

  warn(warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>): void {
    this.notice(`${formatExcerpts(warnings, sources).join('\n\n')}\n`)
  }

  lend<T>(question: () => Promise<T>): Promise<T> {
    return question()
  }

  async end(): Promise<void> {}
}

function getReason({ below }: CallWords): string {
  return below.length === 1 ? below[0]! : cutEnd(below.join(' '), COLUMNS)
}
