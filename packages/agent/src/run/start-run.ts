import { randomBytes } from 'node:crypto'
import { ArgotError, type Message } from 'argot'
import { ChunkQueue } from '../loop/chunk-queue.ts'
import type { LoopResult } from '../loop/loop.ts'
import type { Run, RunResult } from './run-options.ts'

/** What the work of a run is given. */
export interface RunContext {
  chunks: ChunkQueue
  /** The caller's, and aborted when the reader leaves. */
  signal: AbortSignal
}

/** Starts the work of a run and gives its chunks and its result. What the work throws is how the run failed. */
export function startRun(
  id: string,
  outer: AbortSignal | undefined,
  work: (context: RunContext) => Promise<RunResult>,
): Run {
  const reader = new AbortController()
  const chunks = new ChunkQueue(() => reader.abort(new Error('The reader of the run left.')))
  const signal = outer === undefined ? reader.signal : AbortSignal.any([outer, reader.signal])
  const result = work({ chunks, signal })
    .catch((error: unknown) => failBeforeStart(chunks, id, error))
    .finally(() => chunks.close())
  return { id, result, [Symbol.asyncIterator]: () => chunks }
}

/** A run that failed before its first chunk still says so in its stream. */
function failBeforeStart(chunks: ChunkQueue, id: string, thrown: unknown): RunResult {
  const error = thrown instanceof Error ? thrown.message : String(thrown)
  const code = thrown instanceof ArgotError ? thrown.code : 'RUN_FAILED'
  const messageId = `msg-${id}`
  chunks.push({ type: 'start', messageId })
  chunks.push({ type: 'error', errorText: error })
  chunks.push({ type: 'finish', messageId, finishReason: 'error' })
  const diagnostics = thrown instanceof BadDocument ? { diagnostics: thrown.diagnostics } : {}
  return { status: 'failed', text: '', code, error, ...diagnostics }
}

/** The document, or something that it refers to, has errors. */
export class BadDocument extends ArgotError {
  readonly diagnostics: Extract<RunResult, { status: 'failed' }>['diagnostics'] & {}

  constructor(diagnostics: BadDocument['diagnostics']) {
    const count = diagnostics.filter(({ severity }) => severity === 'error').length
    const words = count === 1 ? 'an error' : `${count} errors`
    super('RUN_BAD_DOCUMENT', `The document has ${words} and was not run: ${diagnostics[0]?.message ?? ''}`)
    this.diagnostics = diagnostics
  }
}

export function toRunResult(result: LoopResult): RunResult {
  const { message } = result
  const text = finalText(message)
  if (result.status !== 'failed') return { status: result.status, message, text }
  return { status: 'failed', message, text, code: result.code, error: result.error }
}

/** The answer: the text of the message that leads to no call. */
export function finalText(message: Message): string {
  return message.parts.flatMap(part => (part.type === 'text' && part.phase === 'final' ? [part.text] : [])).join('')
}

/** An id that sorts by time. */
export function newRunId(now: number): string {
  return `${now.toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`
}

/** Waits, and comes back early when the signal is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done, { once: true })
  })
}
