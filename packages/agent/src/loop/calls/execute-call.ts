import type { ErrorCode } from '@argot/core'
import {
  type ContentOutput,
  type ContentPiece,
  defined,
  readContentForModel,
  settlementTexts,
} from '@argot/core/stream/internal'
import type { KeepFiles } from '../../files/keep-files.ts'
import { cutRedacted, cutValue, OUTPUT_BYTES } from '../../tool/output/cut-output.ts'
import type { OuterRun, Tool, ToolOutcome } from '../../tool/tool.ts'
import { describeBytes } from '../../words/describe-bytes.ts'
import { ToolFailure } from '../../words/tool-failure.ts'

export type CallOutcome =
  | { type: 'output'; output: unknown; details?: unknown }
  | { type: 'error'; errorText: string; code: ErrorCode }

export interface ExecuteOptions {
  toolCallId: string
  idempotencyKey: string
  signal: AbortSignal
  redact: (value: unknown) => unknown
  preview: (output: unknown) => void
  outer?: OuterRun | undefined
  keepFiles?: KeepFiles | undefined
  /** Receives the tool's own work, which may continue for a while after the call is settled. */
  onWork?: (work: Promise<unknown>) => void
}

const DEFAULT_TIMEOUT_MS = 60_000
const ERROR_LIMIT = 16 * 1024
const DETAILS_LIMIT = 64 * 1024
/** All files of one result together. */
const FILE_BYTES = 10 * 1024 * 1024
const MAX_PIECES = 256

/**
 * Runs a tool once, with a validated input. Always settles: a tool that throws, times out or is stopped gives an error.
 * This is the only place that cuts and redacts tool output.
 */
export async function executeCall(tool: Tool, input: unknown, options: ExecuteOptions): Promise<CallOutcome> {
  const { toolCallId, idempotencyKey, signal, redact } = options
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const stopping = new LazyAbort()
  let over = false
  return new Promise<CallOutcome>(resolve => {
    const finish = (outcome: CallOutcome): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(outcome)
    }
    const stop = (): void => {
      stopping.abort(signal.reason)
      finish({ type: 'error', code: 'TOOL_STOPPED', errorText: settlementTexts.abort })
    }
    const expire = (): void => {
      const errorText = `\`${tool.name}\` didn't finish within ${timeoutMs / 1000} s and was stopped.`
      stopping.abort(new ToolFailure('TOOL_TIMEOUT', errorText))
      finish({ type: 'error', code: 'TOOL_TIMEOUT', errorText })
    }
    const timer = Number.isFinite(timeoutMs) ? setTimeout(expire, timeoutMs) : undefined
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    const preview = (output: unknown): void => {
      if (!over) options.preview(presentable(output, redact))
    }
    const outer: OuterRun | undefined = options.outer && {
      ...options.outer,
      chunk: chunk => {
        if (!over) options.outer?.chunk(chunk)
      },
    }
    const context = {
      toolCallId,
      idempotencyKey,
      get signal() {
        return stopping.signal
      },
      preview,
      outer,
      keepFiles: options.keepFiles,
    }
    // In its own microtask, so that a tool that throws synchronously behaves like one that rejects.
    const work = Promise.resolve().then(() => tool.execute(input, context))
    options.onWork?.(work)
    work
      .then(outcome => finish(present(outcome, redact)))
      .catch((error: unknown) => finish(failure(tool, error, redact)))
  })
}

function present({ output, details }: ToolOutcome, redact: (value: unknown) => unknown): CallOutcome {
  const presented = presentable(output, redact)
  if (details === undefined) return { type: 'output', output: presented }
  return { type: 'output', output: presented, details: presentable(details, redact, DETAILS_LIMIT) }
}

/** Cuts, redacts, and cuts again, because the redaction labels may be longer than the secrets. */
function presentable(value: unknown, redact: (value: unknown) => unknown, limit: number = OUTPUT_BYTES): unknown {
  const content = readContentForModel(value)
  if (content !== undefined) return presentableContent(content, redact, limit)
  if (typeof value === 'string') return cutRedacted(value, limit, redact)
  return cutValue(redact(cutValue(value ?? null, limit, redact)), limit)
}

/** Texts are cut like any other output. A file is kept whole or left out, and left out if it contains a key. */
function presentableContent(content: ContentOutput, redact: (value: unknown) => unknown, limit: number): ContentOutput {
  let bytesLeft = FILE_BYTES
  const value = content.value.slice(0, MAX_PIECES).map((piece): ContentPiece => {
    if (piece.type === 'text') return { type: 'text', text: cutRedacted(piece.text, limit, redact) }
    if (piece.type === 'file-url') return redact(piece) as ContentPiece
    const { data, mediaType, filename } = piece
    const what = `[A file of type ${oneLine(mediaType, 100)} was left out: `
    const bytes = Math.floor((data.length * 3) / 4)
    if (bytes > bytesLeft)
      return { type: 'text', text: `${what}the files in one result are limited to ${describeBytes(FILE_BYTES)}.]` }
    if (redact(data) !== data) return { type: 'text', text: `${what}it contains a key from this environment.]` }
    bytesLeft -= bytes
    return { type: 'file-data', data, mediaType: oneLine(mediaType, 100), ...defined({ filename }) }
  })
  return { type: 'content', value }
}

function oneLine(text: string, limit: number): string {
  return text.replace(/[^\x20-\x7e]/g, '').slice(0, limit)
}

function failure(tool: Tool, error: unknown, redact: (value: unknown) => unknown): CallOutcome {
  const code = error instanceof ToolFailure ? error.code : 'TOOL_FAILED'
  const reason = cutRedacted(describeError(error).trim(), ERROR_LIMIT, redact)
  return { type: 'error', code, errorText: reason === '' ? `\`${tool.name}\` failed without saying why.` : reason }
}

function describeError(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return ''
  }
}

/** Creates its signal only on demand: most tools never use one, and creating one is slow in Node. */
export class LazyAbort {
  #controller: AbortController | undefined
  #aborted: { reason: unknown } | undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  /** Only the first reason applies, as for any signal. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason }
    this.#controller?.abort(reason)
  }
}
