import { Worker } from 'node:worker_threads'
import { ToolFailure } from '../../words/tool-failure.ts'
import { grepWorker } from './grep-worker.ts'

export interface LineSearchOptions {
  /** A regular expression; must be a valid one. */
  pattern: RegExp
  /** How many lines around a match come with it. */
  context: number
  /** How many characters of a line are shown. */
  width: number
  /** How long one call of `search` may take, from when its thread runs. */
  milliseconds: number
  signal: AbortSignal
}

export interface FoundLine {
  line: number
  text: string
  /** Whether the line matches, or is only near one that does. */
  match: boolean
}

export interface FoundLines {
  /** For each text the lines to be shown; null is a gap between them. */
  found: (FoundLine | null)[][]
  matches: number
}

/**
 * Looks for a pattern in the lines of texts, in a thread of its own that is ended when a match takes too long or the
 * signal is aborted: whatever the pattern is, this thread continues. The thread is started by the first search.
 */
export class LineSearch {
  readonly #options: LineSearchOptions
  /** Which of the texts the thread is at. */
  readonly #progress = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  /** Resolves when the thread runs, or ends without having run. */
  #isUp: Promise<unknown> | undefined

  constructor(options: LineSearchOptions) {
    this.#options = options
  }

  /** At most `limit` matches in all texts together. `names` are for the message when it takes too long. */
  async search(texts: readonly string[], names: readonly string[], limit: number): Promise<FoundLines> {
    const { milliseconds, signal } = this.#options
    signal.throwIfAborted()
    const worker = (this.#worker ??= this.#start())
    await this.#isUp
    let stop = (): void => {}
    try {
      return await new Promise<FoundLines>((resolve, reject) => {
        const aborted = (): void => reject(signal.reason)
        if (signal.aborted) return aborted()
        const timer = setTimeout(() => reject(tooLong(names[this.#progress[0]!] ?? '', milliseconds)), milliseconds)
        const failed = (error: unknown): void => reject(error)
        signal.addEventListener('abort', aborted, { once: true })
        worker.once('message', resolve)
        worker.once('error', failed)
        stop = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', aborted)
          worker.off('message', resolve)
          worker.off('error', failed)
        }
        worker.postMessage({ texts, limit })
      })
    } catch (error) {
      await this.end()
      throw error
    } finally {
      stop()
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #start(): Worker {
    const { pattern, context, width } = this.#options
    const worker = new Worker(grepWorker, {
      eval: true,
      // Loaders of the main thread are of no use in the other and slow it down.
      execArgv: [],
      env: {},
      workerData: { pattern: pattern.source, flags: pattern.flags, context, width, progress: this.#progress },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    // A thread that fails between two searches is noticed by the next one; it must not end the process.
    worker.on('error', () => {})
    this.#isUp = new Promise(resolve => worker.once('online', resolve).once('exit', resolve))
    return worker
  }
}

function tooLong(name: string, milliseconds: number): ToolFailure {
  const message = `The pattern took more than ${milliseconds / 1000} s on \`${name}\`, and the search was ended.`
  const cure = 'Simplify the pattern: do not repeat what contains a repetition, as in `(a+)+`.'
  return new ToolFailure('TOOL_SEARCH_TOO_LONG', `${message} ${cure}`)
}
