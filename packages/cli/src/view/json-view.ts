import type { Chunk, Message } from 'argot'
import { type Io, write } from '../io/io.ts'
import type { View } from './view.ts'

/** For programs: each chunk as one line of JSON on stdout, everything else as lines of JSON on stderr. */
export class JsonView implements View {
  readonly #io: Io
  readonly #quiet: boolean
  /** Nobody reads any more. */
  #deaf = false

  constructor(io: Io, options: { quiet?: boolean } = {}) {
    this.#io = io
    this.#quiet = options.quiet === true
    io.stdout.once('error', () => {
      this.#deaf = true
    })
  }

  push(chunk: Chunk): Promise<void> | undefined {
    return this.#deaf ? undefined : write(this.#io.stdout, `${JSON.stringify(chunk)}\n`)
  }

  /** The chunk protocol speaks for the assistant only; others are whole messages, as in `argot convert --to jsonl`. */
  quote(message: Message): void {
    this.#io.stdout.write(`${JSON.stringify({ message })}\n`)
  }

  notice(text: string): void {
    if (!this.#quiet) this.#io.stderr.write(`${JSON.stringify({ notice: text })}\n`)
  }

  lend<T>(question: () => Promise<T>): Promise<T> {
    return question()
  }

  async end(): Promise<void> {}
}
