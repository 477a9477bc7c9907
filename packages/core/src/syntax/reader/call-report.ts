import { defined } from '../../source/defined.ts'
import type { ErrorCode } from '../../source/error.ts'
import type { ArgotMetadata, ToolInputAvailable } from '../../stream/chunk.ts'
import type { ParserOptions } from '../syntax.ts'
import type { Output } from './output.ts'

/** Offsets are in the model's text. */
export interface CallProblem {
  code: ErrorCode
  message: string
  offset: number
}

/** Everything about a call besides its input: problems, repairs, and its result. */
export abstract class CallReport {
  readonly id: string
  readonly name: string
  readonly offset: number
  /** The text ended in the middle of the call. */
  cut = false
  /** The dialect the call is written in, if the syntax reads several. */
  dialect: string | undefined
  /** The call is inside reasoning that was never closed. */
  inReasoning = false
  /** The id the model gave the call, if it came too late or couldn't be used. */
  modelId: string | undefined
  /** Fields of the call that no chunk has carried yet, for the error of its result. */
  extra: Record<string, unknown> | undefined
  protected readonly output: Output
  protected readonly options: Pick<ParserOptions, 'repair' | 'integers'>
  readonly #repairs = new Set<string>()
  protected readonly problems: CallProblem[] = []
  /** The rest of the text can't be read as a call. A value of the wrong type doesn't break a call. */
  protected isBroken = false
  protected isAvailable = false

  constructor(
    output: Output,
    id: string,
    name: string,
    offset: number,
    options: Pick<ParserOptions, 'repair' | 'integers'>,
  ) {
    this.output = output
    this.options = options
    this.id = id
    this.name = name
    this.offset = offset
  }

  get sound(): boolean {
    return this.problems.length === 0
  }

  /** True after `fail`: the rest of the call is skipped. */
  get broken(): boolean {
    return this.isBroken
  }

  /** Returns false if repairs are off. */
  repair(name: string): boolean {
    if (this.options.repair === 'none') return false
    this.#repairs.add(name)
    return true
  }

  /** Like `repair`, but reports an error if repairs are off. */
  repairOrFail(name: string, offset: number): void {
    if (this.repair(name)) return
    this.report('SYNTAX_NEEDS_REPAIR', `The call has a mistake that may not be repaired (${name}).`, offset)
  }

  /** The call's own text contains its result. Call it after `complete`. */
  reply(result: { output: unknown; preliminary?: true } | { errorText: string }, metadata: ArgotMetadata = {}): void {
    const chunk = { toolCallId: this.id, ...toProviderMetadata(metadata) }
    if ('output' in result) this.output.tool({ type: 'tool-output-available', ...chunk, ...result })
    else this.output.tool({ type: 'tool-output-error', ...chunk, ...result })
  }

  /** Something is wrong, so the input isn't sent. The rest of the call can still be read. */
  report(code: ErrorCode, message: string, offset: number): void {
    this.problems.push({ code, message, offset })
  }

  /** The call can't be read from here on. Anything else the syntax reports about it is ignored. */
  fail(code: ErrorCode, message: string, offset: number): void {
    if (this.isBroken) return
    this.report(code, message, offset)
    this.isBroken = true
  }

  /** Sends the error. `source` is the call's text, and `repair` shows how such a call is written. */
  explain(source: string, repair: string): void {
    const [problem] = this.problems
    if (problem === undefined) return
    const messages = this.problems.slice(0, 8).map(({ message }) => message)
    const errorText = `${messages.join(' ')} ${repair}`
    const metadata = defined({ code: problem.code, offset: problem.offset, dialect: this.dialect })
    // Without an input, the source contains everything.
    if (this.isAvailable) this.reply({ errorText }, { ...metadata, ...defined({ extra: this.extra }) })
    else {
      this.output.tool({
        type: 'tool-input-error',
        toolCallId: this.id,
        toolName: this.name,
        input: source,
        errorText,
        ...toProviderMetadata(metadata),
      })
    }
  }

  protected getMetadata(): ArgotMetadata {
    return defined({
      repaired: this.#repairs.size === 0 ? undefined : [...this.#repairs],
      modelId: this.modelId,
      dialect: this.dialect,
      inReasoning: this.inReasoning ? (true as const) : undefined,
    })
  }
}

export function toProviderMetadata(metadata: ArgotMetadata): Pick<ToolInputAvailable, 'providerMetadata'> {
  return Object.keys(metadata).length === 0 ? {} : { providerMetadata: { argot: { ...metadata } } }
}
