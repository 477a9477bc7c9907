import { pickAnswer } from '../../message/approval-answer.ts'
import type { ToolPart } from '../../message/message.ts'
import { checkOptionalMetadata } from '../../message/own-metadata.ts'
import { isSettled, type SettledBy, type ToolInvocation } from '../../message/tool-invocation.ts'
import type { ErrorCode } from '../../source/error.ts'
import { toApprovalAnswer } from '../approval-response.ts'
import {
  argotMetadata,
  type ToolApprovalRequest,
  type ToolApprovalResponse,
  type ToolInputAvailable,
  type ToolInputError,
  type ToolInputStart,
  type ToolOutputAvailable,
  type ToolOutputDenied,
  type ToolOutputError,
  withArgotMetadata,
} from '../chunk.ts'
import type { JsonProblem } from '../json/partial-json.ts'
import * as limits from '../limits.ts'
import { CallClock, type CallClockState } from './call-clock.ts'
import { copyFields } from './invocation-snapshot.ts'
import { isPlainObject, withoutWaited } from './metadata.ts'
import { Slot } from './part-list.ts'
import { inspectPayload } from './payload.ts'
import { StreamingInput, type StreamingInputState } from './streaming-input.ts'

export interface CallContext {
  now(): number
  report(code: ErrorCode, message: string): void
  /** All texts and calls share one function. */
  readonly reportLoneSurrogate: () => void
  onStateChange(call: CallBuilder): void
  onChange(call: CallBuilder): void
  /** Only the input has more text; nothing else changed. */
  onInputGrowth(call: CallBuilder): void
  addLength(length: number): void
}

export interface CallBuilderState extends CallClockState {
  fields: ToolInvocation
  dynamic: boolean
  step: number
  text?: StreamingInputState
}

/**
 * The state machine of one tool call. It only moves forward: the first terminal state wins, and a late chunk may
 * complete the input but never takes anything back.
 */
export class CallBuilder extends Slot {
  superseded = false
  /** Without `input` while that streams. */
  readonly #fields: ToolInvocation
  #clock: CallClock = new CallClock()
  readonly #context: CallContext
  dynamic: boolean
  readonly step: number
  streaming: StreamingInput | undefined
  #part: ToolPart | undefined

  constructor(context: CallContext, call: { key: string; toolCallId: string; toolName: string; step: number }) {
    super()
    this.#context = context
    this.step = call.step
    this.dynamic = false
    this.#fields = {
      key: call.key,
      toolCallId: call.toolCallId,
      toolName: this.#checkedName(call.toolName),
      state: 'input-streaming',
      startedAt: context.now(),
    }
  }

  static fromJSON(context: CallContext, state: CallBuilderState): CallBuilder {
    const { key, toolCallId, toolName } = state.fields
    const call = new CallBuilder(context, { key, toolCallId, toolName, step: state.step })
    Object.assign(call.#fields, state.fields)
    call.dynamic = state.dynamic
    call.#clock = new CallClock(state)
    if (state.text !== undefined)
      call.streaming = new StreamingInput(state.text.encoding, context.reportLoneSurrogate, state.text)
    return call
  }

  toJSON(): CallBuilderState {
    const fields = { ...this.#fields }
    const state: CallBuilderState = { fields, dynamic: this.dynamic, step: this.step, ...this.#clock.toJSON() }
    if (this.streaming !== undefined) state.text = this.streaming.toJSON()
    return state
  }

  get toolCallId(): string {
    return this.#fields.toolCallId
  }

  get key(): string {
    return this.#fields.key
  }

  get state(): ToolInvocation['state'] {
    return this.#fields.state
  }

  get settled(): boolean {
    return isSettled(this.#fields)
  }

  start(chunk: ToolInputStart): void {
    this.#describe(chunk)
    this.streaming = new StreamingInput(
      chunk.inputEncoding === 'text' ? 'text' : 'json',
      this.#context.reportLoneSurrogate,
    )
    this.#context.onStateChange(this)
  }

  delta(text: string): void {
    if (this.#fields.state !== 'input-streaming') {
      return this.#context.report('STREAM_LATE_CHUNK', 'Input text came after the input was complete and was ignored.')
    }
    const streaming = (this.streaming ??= new StreamingInput('json', this.#context.reportLoneSurrogate))
    if (streaming.length + text.length > limits.callLength) return this.#exceed('STREAM_CALL_TOO_LONG', tooLong)
    this.#noteText(streaming.push(text))
    this.#context.addLength(text.length)
    if (streaming.parameters > limits.parameters) this.#exceed('STREAM_TOO_MANY_PARAMETERS', tooManyParameters)
  }

  #noteText(problem: JsonProblem | undefined): void {
    if (problem !== undefined) {
      const code = problem.kind === 'depth' ? 'STREAM_TOO_DEEP' : 'STREAM_BAD_JSON'
      this.#context.report(code, `${problem.message} (offset ${problem.offset} of the input)`)
    }
    this.#part = undefined
    this.#context.onInputGrowth(this)
  }

  available(chunk: ToolInputAvailable): void {
    this.#describe(chunk)
    if (this.settled) {
      if (this.#fields.input === undefined) this.#setInput(chunk.input)
      else if (typeof this.#fields.rawInput === 'string' && this.#fields.approval === undefined) {
        if (this.#setInput(chunk.input)) delete this.#fields.rawInput
      }
      this.#context.report('STREAM_SETTLED', "A call's input came after its result; the result is kept.")
      return this.#touch()
    }
    const { state } = this.#fields
    if (state === 'approval-responded' && this.#fields.rawInput === undefined) {
      this.#fields.rawInput = this.#fields.input
    }
    if (!this.#setInput(chunk.input)) return
    if (state === 'input-streaming') this.#enter('input-available')
    else this.#touch()
  }

  inputError(chunk: ToolInputError): void {
    if (this.#refuseLate()) return
    this.#describe(chunk)
    this.#noteResultMetadata(chunk)
    const raw = inspectPayload(chunk.input)
    if (raw.repaired) this.#context.reportLoneSurrogate()
    this.#context.addLength(raw.length)
    this.#fields.rawInput = raw.value ?? this.streaming?.raw
    this.streaming = undefined
    this.#fields.errorText = this.#toWellFormed(chunk.errorText)
    this.#settle('output-error')
  }

  /** A request with a new id is a new question; the answer to the previous one doesn't answer it. */
  approvalRequest(chunk: ToolApprovalRequest): void {
    const id = chunk.approvalId ?? this.toolCallId
    const isRepeated = this.#fields.approval?.id === id
    if (chunk.known === true && isRepeated) return
    if (this.#refuseLate()) return
    const { state } = this.#fields
    if (isRepeated && (state === 'approval-responded' || state === 'output-available')) {
      return this.#context.report('STREAM_SETTLED', 'An approval was requested again after it was answered.')
    }
    if (chunk.input !== undefined && !this.#setInput(chunk.input)) return
    const { signature = chunk.signature, facts } = argotMetadata(chunk) ?? {}
    this.#forgetPreview()
    this.#fields.approval = { id }
    if (typeof signature === 'string') this.#fields.approval.signature = signature
    if (isPlainObject(facts)) this.#fields.approval.facts = facts
    this.#clock.ask(this.#context.now())
    this.#enter('approval-requested')
  }

  /** If the process died, the tool's preliminary output doesn't belong to the call that is asked about again. */
  #forgetPreview(): void {
    if (this.#fields.preliminary !== true) return
    this.#context.addLength(-inspectPayload(this.#fields.output).length)
    delete this.#fields.output
    delete this.#fields.preliminary
  }

  approvalResponse(chunk: ToolApprovalResponse): void {
    const { approval, state } = this.#fields
    const isRepeated = approval?.approved !== undefined && approval.id === chunk.approvalId
    if (chunk.known === true && isRepeated) return
    if (this.#refuseLate()) return
    if (state !== 'approval-requested' || approval?.id !== chunk.approvalId) {
      return this.#context.report('STREAM_SETTLED', 'An answer to an approval that is not open was ignored.')
    }
    const { facts: _, ...question } = approval
    const answer = Object.entries(pickAnswer(toApprovalAnswer(chunk)))
    const sound = answer.map(([name, value]) => [name, typeof value === 'string' ? this.#toWellFormed(value) : value])
    this.#fields.approval = { ...question, ...Object.fromEntries(sound) }
    this.#clock.answer(this.#context.now())
    this.#enter('approval-responded')
  }

  output(chunk: ToolOutputAvailable): void {
    if (this.#refuseLate()) return
    this.#finishInput(true)
    if (this.#fields.preliminary === true) this.#context.addLength(-inspectPayload(this.#fields.output).length)
    const payload = inspectPayload(chunk.output)
    this.#notePayload(payload)
    this.#fields.output = payload.value
    this.#noteExtras(chunk)
    this.#noteResultMetadata(chunk)
    if (chunk.preliminary === true) {
      this.#fields.preliminary = true
      return this.#enter('output-available')
    }
    delete this.#fields.preliminary
    this.#settle('output-available')
  }

  outputError(chunk: ToolOutputError): void {
    if (this.#refuseLate()) return
    this.#finishInput()
    this.#fields.errorText = this.#toWellFormed(chunk.errorText)
    this.#noteExtras(chunk)
    this.#noteResultMetadata(chunk)
    const settledBy = argotMetadata({
      providerMetadata: checkOptionalMetadata(chunk.providerMetadata, 'result'),
    })?.settledBy
    if (settledBy !== undefined) this.#fields.settledBy = settledBy
    this.#settle('output-error')
  }

  denied(chunk: ToolOutputDenied): void {
    if (this.#refuseLate()) return
    this.#finishInput(true)
    const reason = typeof chunk.reason === 'string' ? this.#toWellFormed(chunk.reason) : this.#fields.approval?.reason
    // A denial without a question comes from a policy.
    const question = this.#fields.approval ?? { id: this.toolCallId, by: 'policy' }
    this.#fields.approval = { ...question, approved: false }
    if (reason !== undefined) this.#fields.approval.reason = reason
    this.#settle('output-denied')
  }

  /** Input and output so far stay. */
  settleUnanswered(by: SettledBy, errorText: string): void {
    if (this.settled) return
    this.#finishInput()
    this.#fields.errorText = errorText
    this.#fields.settledBy = by
    this.#fields.resultProviderMetadata = withArgotMetadata(this.#fields.resultProviderMetadata, { settledBy: by })
    this.#settle('output-error')
  }

  /** The same object until something changes. */
  part(): ToolPart {
    if (this.#part === undefined) {
      const toolInvocation = copyFields(this.#fields)
      this.streaming?.addTo(toolInvocation)
      this.#part = { type: this.dynamic ? 'dynamic-tool' : 'tool', toolInvocation } as ToolPart
    }
    return this.#part
  }

  #touch(): void {
    this.#part = undefined
    this.#context.onChange(this)
  }

  /** False if the input exceeds a limit; this settles the call. */
  #setInput(input: unknown): boolean {
    const payload = inspectPayload(input)
    if (payload.tooDeep) {
      this.#fields.rawInput = this.streaming?.raw ?? payload.value
      this.#context.report(
        'STREAM_TOO_DEEP',
        `The input of a call is nested deeper than ${limits.jsonDepth} levels; its raw text is kept.`,
      )
      this.streaming = undefined
      return true
    }
    if (payload.repaired) this.#context.reportLoneSurrogate()
    if (payload.length > limits.callLength) {
      this.#exceed('STREAM_CALL_TOO_LONG', tooLong)
      return false
    }
    if (this.streaming === undefined) this.#context.addLength(payload.length)
    this.streaming = undefined
    this.#fields.input = payload.value
    if (isPlainObject(input) && Object.keys(input).length > limits.parameters) {
      this.#exceed('STREAM_TOO_MANY_PARAMETERS', tooManyParameters)
      return false
    }
    return true
  }

  /** Something follows the input although its end was never announced: the value so far and the raw text stay. */
  #finishInput(answered = false): void {
    const streaming = this.streaming
    if (streaming === undefined) return
    this.#noteText(streaming.end())
    this.streaming = undefined
    const { raw } = streaming
    if (raw === undefined) return
    const input = streaming.capture().value
    if (input !== undefined) this.#fields.input = input
    if (!answered || !streaming.complete) this.#fields.rawInput = raw
  }

  #exceed(code: ErrorCode, errorText: string): void {
    this.#context.report(code, errorText)
    this.settleUnanswered('limit', errorText)
  }

  #enter(state: ToolInvocation['state']): void {
    const isChanged = this.#fields.state !== state
    this.#fields.state = state
    this.#touch()
    if (isChanged) this.#context.onStateChange(this)
  }

  #settle(state: ToolInvocation['state']): void {
    this.#fields.endedAt = this.#clock.end(this.#context.now(), this.#fields.startedAt)
    this.#fields.state = state
    this.#touch()
    this.#context.onStateChange(this)
  }

  #refuseLate(): boolean {
    if (!this.settled) return false
    this.#context.report('STREAM_SETTLED', 'A chunk for a call that was already settled was ignored.')
    return true
  }

  #describe(chunk: ToolInputStart | ToolInputAvailable | ToolInputError): void {
    if (chunk.toolName && cutName(chunk.toolName) !== this.#fields.toolName) {
      this.#fields.toolName = this.#checkedName(chunk.toolName)
    }
    if (chunk.dynamic !== undefined && this.#fields.state === 'input-streaming') this.dynamic ||= chunk.dynamic === true
    if (typeof chunk.title === 'string') this.#fields.title = this.#toWellFormed(chunk.title)
    this.#noteExtras(chunk)
    if (chunk.providerMetadata !== undefined && chunk.type !== 'tool-input-error') {
      const metadata = checkOptionalMetadata(chunk.providerMetadata, 'call')
      if (metadata === undefined) delete this.#fields.callProviderMetadata
      else this.#fields.callProviderMetadata = metadata
    }
    this.#touch()
  }

  #noteExtras(chunk: { providerExecuted?: boolean; toolMetadata?: Record<string, unknown> }): void {
    if (chunk.providerExecuted !== undefined) this.#fields.providerExecuted = chunk.providerExecuted === true
    if (isPlainObject(chunk.toolMetadata)) this.#fields.toolMetadata = chunk.toolMetadata
  }

  #noteResultMetadata(chunk: ToolOutputAvailable | ToolOutputError | ToolInputError): void {
    if (chunk.providerMetadata === undefined) return
    const checked = checkOptionalMetadata(chunk.providerMetadata, 'result')
    const { details, waited } = argotMetadata({ providerMetadata: checked }) ?? {}
    if (details !== undefined) this.#fields.details = details
    // From here on, `endedAt` includes it.
    const metadata = checked === undefined || waited === undefined ? checked : withoutWaited(checked)
    if (metadata === undefined) delete this.#fields.resultProviderMetadata
    else this.#fields.resultProviderMetadata = metadata
    if (waited !== undefined && waited > 0) this.#clock.waited = waited
  }

  #notePayload(payload: { length: number; repaired: boolean; tooDeep: boolean }): void {
    if (payload.repaired) this.#context.reportLoneSurrogate()
    if (payload.tooDeep) {
      this.#context.report(
        'STREAM_TOO_DEEP',
        `The output of a call is nested deeper than ${limits.jsonDepth} levels; its JSON text is kept.`,
      )
    }
    this.#context.addLength(payload.length)
  }

  #toWellFormed(text: string): string {
    if (text.isWellFormed()) return text
    this.#context.reportLoneSurrogate()
    return text.toWellFormed()
  }

  #checkedName(name: string): string {
    if (!name.isWellFormed()) this.#context.reportLoneSurrogate()
    if (name.length > limits.nameLength) {
      this.#context.report(
        'STREAM_NAME_TOO_LONG',
        `The name of a tool is longer than ${limits.nameLength} characters and was cut.`,
      )
    }
    return cutName(name)
  }
}

const tooLong = `The input of the call is longer than ${limits.callLength} characters.`
const tooManyParameters = `The call has more than ${limits.parameters} parameters.`

function cutName(name: string): string {
  return name.slice(0, limits.nameLength).toWellFormed()
}
