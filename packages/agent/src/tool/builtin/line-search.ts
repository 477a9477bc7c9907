import { Worker } from 'node:worker_threads'
import { ToolFailure } from '../../words/tool-failure.ts'
import { grepWorker } from './grep-worker.ts'

export interface LineSearchOptions {
  pattern: RegExp
  context: number
  /** In characters; longer lines are cut. */
  width: number
  /** The time limit of one `search` call, counted from when its thread runs. */
  milliseconds: number
  signal: AbortSignal
}

export interface SearchLine {
  line: number
  text: string
  /** If false, the line is only context. */
  match: boolean
}

export interface SearchResult {
  /** The lines to show for each text; null is a gap between them. */
  lines: (SearchLine | null)[][]
  matches: number
}

/**
 * Searches the lines of texts for a pattern in a worker thread, which is terminated if a match takes too long or the
 * signal is aborted. So no pattern can block this thread. The first search starts the worker.
 */
export class LineSearch {
  readonly #options: LineSearchOptions
  /** The index of the text that the worker is searching. */
  readonly #progress = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #started: Promise<unknown> | undefined

  constructor(options: LineSearchOptions) {
    this.#options = options
  }

  /** Finds at most `limit` matches in all texts together. `names` are for the timeout message. */
  async search(texts: readonly string[], names: readonly string[], limit: number): Promise<SearchResult> {
    const { milliseconds, signal } = this.#options
    signal.throwIfAborted()
    const worker = (this.#worker ??= this.#start())
    await this.#started
    let stop = (): void => {}
    try {
      return await new Promise<SearchResult>((resolve, reject) => {
        const aborted = (): void => reject(signal.reason)
        if (signal.aborted) return aborted()
        const timer = setTimeout(
          () => reject(searchTookTooLong(names[this.#progress[0]!] ?? '', milliseconds)),
          milliseconds,
        )
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
      // The main thread's loaders are useless in the worker and slow it down.
      execArgv: [],
      env: {},
      workerData: { pattern: pattern.source, flags: pattern.flags, context, width, progress: this.#progress },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    // The next search notices a worker that failed between two searches. The failure must not end the process.
    worker.on('error', () => {})
    this.#started = new Promise(resolve => worker.once('online', resolve).once('exit', resolve))
    return worker
  }
}

function searchTookTooLong(name: string, milliseconds: number): ToolFailure {
  const message = `The pattern took more than ${milliseconds / 1000} s on \`${name}\`, and the search was ended.`
  const cure = 'Simplify the pattern: do not repeat what contains a repetition, as in `(a+)+`.'
  return new ToolFailure('TOOL_SEARCH_TOO_LONG', `${message} ${cure}`)
}
