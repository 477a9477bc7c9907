import { defined } from '../../source/defined.ts'
import type { ErrorCode } from '../../source/error.ts'
import type { ArgotMetadata, ToolInputAvailable } from '../../stream/chunk.ts'
import type { ParserOptions } from '../syntax.ts'
import type { Output } from './output.ts'

/** What is wrong with a call, and where in the model's text. */
export interface CallProblem {
  code: ErrorCode
  message: string
  offset: number
}

/** What a call says of itself besides its input: what is wrong with it, what was repaired, what it gave back. */
export abstract class CallReport {
  readonly id: string
  readonly name: string
  /** Where it begins in the model's text. */
  readonly offset: number
  /** The text ended in the middle of the call. */
  cut = false
  /** The dialect that the call is written in, where the syntax reads several. */
  dialect: string | undefined
  /** It is written inside reasoning that was never closed. */
  inReasoning = false
  /** The id that the model gave the call, where it came too late or could not be taken. */
  modelId: string | undefined
  /** The other fields of the call that no chunk has carried, for the error of its result. */
  extra: Record<string, unknown> | undefined
  protected readonly output: Output
  protected readonly options: Pick<ParserOptions, 'repair' | 'integers'>
  /** What had to be repaired before the text could be read, by name. */
  readonly #repaired = new Set<string>()
  protected readonly problems: CallProblem[] = []
  /** The text is not a call that can be read on; what is typed wrongly does not break a call. */
  protected isBroken = false
  /** `tool-input-available` has been sent. */
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

  /** True as long as nothing is wrong. */
  get sound(): boolean {
    return this.problems.length === 0
  }

  /** True once `fail` was called: the rest of the call is only passed over. */
  get broken(): boolean {
    return this.isBroken
  }

  /** The mistake `name` is repaired. False where it may not be. */
  repair(name: string): boolean {
    if (this.options.repair === 'none') return false
    this.#repaired.add(name)
    return true
  }

  /** Like `repair`, and where that is not allowed the call has an error. */
  repairOrFail(name: string, offset: number): void {
    if (this.repair(name)) return
    this.report('SYNTAX_NEEDS_REPAIR', `The call has a mistake that may not be repaired (${name}).`, offset)
  }

  /** The text of the call itself says what the tool gave back. Comes after `complete`. */
  reply(result: { output: unknown; preliminary?: true } | { errorText: string }, metadata: ArgotMetadata = {}): void {
    const chunk = { toolCallId: this.id, ...argot(metadata) }
    if ('output' in result) this.output.tool({ type: 'tool-output-available', ...chunk, ...result })
    else this.output.tool({ type: 'tool-output-error', ...chunk, ...result })
  }

  /** Something is wrong, so the input is not sent. The rest of the call can still be read. */
  report(code: ErrorCode, message: string, offset: number): void {
    this.problems.push({ code, message, offset })
  }

  /** The call cannot be read from here on: what the syntax still says of it is ignored. */
  fail(code: ErrorCode, message: string, offset: number): void {
    if (this.isBroken) return
    this.report(code, message, offset)
    this.isBroken = true
  }

  /** The error is sent. `source` is the call's text and `repair` says how such a call is written. */
  explain(source: string, repair: string): void {
    const [problem] = this.problems
    if (problem === undefined) return
    const messages = this.problems.slice(0, 8).map(({ message }) => message)
    const errorText = `${messages.join(' ')} ${repair}`
    const metadata = defined({ code: problem.code, offset: problem.offset, dialect: this.dialect })
    // Without an input the source says it all.
    if (this.isAvailable) this.reply({ errorText }, { ...metadata, ...defined({ extra: this.extra }) })
    else {
      this.output.tool({
        type: 'tool-input-error',
        toolCallId: this.id,
        toolName: this.name,
        input: source,
        errorText,
        ...argot(metadata),
      })
    }
  }

  /** What is to be said of a call that could be read. */
  protected remarks(): ArgotMetadata {
    return defined({
      repaired: this.#repaired.size === 0 ? undefined : [...this.#repaired],
      modelId: this.modelId,
      dialect: this.dialect,
      inReasoning: this.inReasoning ? (true as const) : undefined,
    })
  }
}

/** The metadata of a chunk, where there is something to say. */
export function argot(metadata: ArgotMetadata): Pick<ToolInputAvailable, 'providerMetadata'> {
  return Object.keys(metadata).length === 0 ? {} : { providerMetadata: { argot: { ...metadata } } }
}
