import type { Chunk, Diagnostic, Message } from '@argot/core'
import { type Io, jsonLine, print, tell } from '../io/io.ts'
import type { View } from './view.ts'

/** For programs: each chunk is one line of JSON on stdout, everything else is lines of JSON on stderr. */
export class JsonView implements View {
  readonly #io: Io
  readonly #quiet: boolean
  #isReaderGone = false

  constructor(io: Io, options: { quiet?: boolean } = {}) {
    this.#io = io
    this.#quiet = options.quiet === true
    io.stdout.once('error', () => {
      this.#isReaderGone = true
    })
  }

  push(chunk: Chunk): Promise<void> | undefined {
    return this.#isReaderGone ? undefined : print(this.#io, jsonLine(chunk))
  }

  /**
   * The chunk protocol only covers assistant messages. Others are written as complete messages, as in `argot convert
   * --to jsonl`.
   */
  quote(message: Message): void {
    void print(this.#io, jsonLine({ message }))
  }

  notice(text: string, always = false): void {
    if (always || !this.#quiet) void tell(this.#io, jsonLine({ notice: text }))
  }

  warn(warnings: readonly Diagnostic[]): void {
    if (!this.#quiet) void tell(this.#io, warnings.map(diagnostic => jsonLine({ diagnostic })).join(''))
  }

  lend<T>(question: () => Promise<T>): Promise<T> {
    return question()
  }

  async end(): Promise<void> {}
}
