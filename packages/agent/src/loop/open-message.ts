import { isDeepStrictEqual } from 'node:util'
import { type Accumulator, accumulate, type Chunk, isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { argotMetadata, chunkFacts, isSettled, messageToChunks, type ToolEffect } from '@argot/core/stream'
import { CallKeys, defined, lastCallNumber } from '@argot/core/stream/internal'
import type { ApprovalAnswer } from '../approval/approval.ts'
import { inputAfter, type LoggedCall } from '../transcript/logged-calls.ts'
import type { LoopCall } from './calls/loop-call.ts'

/** What is known about a message's open calls, from the log of its run rather than from the message. */
export interface CallHistory {
  /** The log's record of an open call. Undefined if the log doesn't have the call as the message shows it. */
  findCall(invocation: ToolInvocation): LoggedCall | undefined
  /** Whether a call's tool may have started. Its effect is then unknown. */
  mayHaveStarted(toolCallId: string): boolean
  approvalIds: ReadonlySet<string>
  /** Edited inputs from a log that isn't vouched for, by call. */
  earlierInputs: ReadonlyMap<string, unknown>
}

/** What the caller that passes the message vouches for about an open call. */
export interface VouchedCall {
  answer?: ApprovalAnswer | undefined
  foreign?: boolean | undefined
  mustAsk?: string | undefined
}

/** `nobody`: the message was read from a document without a log, so nothing vouches for it. */
export type CallOrigin = CallHistory | ReadonlyMap<ToolInvocation, VouchedCall> | 'nobody'

export interface UnsettledCall {
  call: LoopCall
  /** Repeat the call for readers of this run. */
  chunks: Chunk[]
  /** The question that the message shows as open, whatever its source: valid for a denial, never for an approval. */
  shownQuestion: string | undefined
}

/** The assistant message that a run continues, and its open calls. */
export class OpenMessage {
  readonly #message: Message
  readonly #origin: CallOrigin

  constructor(message: Message, origin: CallOrigin) {
    this.#message = message
    this.#origin = origin
  }

  get id(): string {
    return this.#message.id
  }

  get createdAt(): string | undefined {
    return this.#message.createdAt
  }

  /** An answer that reached the token limit, so the model has to write the rest. */
  get isCut(): boolean {
    return this.#message.finishReason === 'length'
  }

  get steps(): number {
    return this.#message.parts.filter(part => part.type === 'step-start').length
  }

  get lastCall(): number {
    return lastCallNumber([this.#message])
  }

  /** Its calls' keys, which new calls must not reuse. */
  get keys(): CallKeys {
    const keys = new CallKeys()
    for (const part of this.#message.parts) if (isToolPart(part)) keys.take(part.toolInvocation.toolCallId)
    return keys
  }

  /** Ids of the questions that wait for an answer. Their answers may arrive before this run repeats them. */
  get questions(): ReadonlySet<string> {
    return new Set(this.#invocations.flatMap(invocation => this.#openQuestion(invocation) ?? []))
  }

  /** Ids of all questions so far. An answer must never reach a different question. */
  get approvalIds(): ReadonlySet<string> {
    const ids = this.#invocations.flatMap(({ approval }) => (approval === undefined ? [] : [approval.id]))
    return new Set([...ids, ...(this.#history?.approvalIds ?? [])])
  }

  /** The message as a fold that can be continued. Existing parts keep their times. */
  fold(now: () => number): Accumulator {
    let time: number | undefined
    const fold = accumulate({ now: () => time ?? now() })
    const { createdAt, parts } = this.#message
    const calls = parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
    let next = 0
    for (const chunk of messageToChunks(this.#message)) {
      if (chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error') continue
      if (chunk.type === 'tool-input-start') time = calls[next++]?.startedAt
      else if ('toolCallId' in chunk)
        time = chunkFacts(chunk).does === 'settles' ? calls[next - 1]?.endedAt : calls[next - 1]?.startedAt
      else time = createdAt === undefined ? undefined : Date.parse(createdAt)
      fold.push(chunk)
    }
    time = undefined
    return fold
  }

  calls(getEffect: (toolName: string) => ToolEffect | undefined): UnsettledCall[] {
    const keys = new CallKeys()
    return this.#message.parts
      .filter(isToolPart)
      .map(part => ({
        invocation: part.toolInvocation as ToolInvocation,
        key: keys.take(part.toolInvocation.toolCallId),
        dynamic: part.type === 'dynamic-tool',
      }))
      .filter(({ invocation }) => !isSettled(invocation) && invocation.providerExecuted !== true)
      .map(({ invocation, key, dynamic }) => ({
        call: this.#toCall(invocation, key, getEffect(invocation.toolName)),
        chunks: toChunks(invocation, dynamic),
        shownQuestion: invocation.state === 'approval-requested' ? invocation.approval?.id : undefined,
      }))
  }

  #toCall(invocation: ToolInvocation, key: string, effect: ToolEffect | undefined): LoopCall {
    const { toolCallId, toolName, input: modelInput, title, startedAt } = invocation
    const vouched = this.#findVouched(invocation)
    const logged = this.#history?.findCall(invocation)
    const input = this.#getInput(invocation, logged)
    const mayHaveStarted = this.#mayHaveRun(invocation)
    // An answer is valid for one run of the tool. Once that has begun, the answer is used up.
    const recordedAnswer = mayHaveStarted ? undefined : logged?.question?.answer
    return {
      toolCallId,
      toolName,
      input,
      key,
      title,
      startedAt,
      approvalId: this.#approvalId(invocation, recordedAnswer),
      interrupted: effect !== 'read' && mayHaveStarted,
      edited: !isDeepStrictEqual(input, modelInput),
      modelInput,
      foreign: !this.#isModelMade(invocation),
      answer: vouched?.answer ?? recordedAnswer,
      check: logged?.question?.check,
      isRecorded: recordedAnswer !== undefined,
      mustAsk: vouched?.mustAsk,
      inReasoning: argotMetadata({ providerMetadata: invocation.callProviderMetadata })?.inReasoning,
    }
  }

  /** The id of the call's question, if that is open or its answer is still valid. */
  #approvalId(invocation: ToolInvocation, recordedAnswer: ApprovalAnswer | undefined): string | undefined {
    if (recordedAnswer !== undefined) return this.#history?.findCall(invocation)?.question?.approvalId
    if (this.#findVouched(invocation)?.answer !== undefined) return invocation.approval?.id
    return this.#openQuestion(invocation)
  }

  /**
   * The id of a call's unanswered question. Only this user's log or the caller that passes the message can vouch for it.
   * A document can't: anyone can write an id there.
   */
  #openQuestion(invocation: ToolInvocation): string | undefined {
    const { state, approval } = invocation
    const vouched = this.#findVouched(invocation)
    if (vouched !== undefined) {
      return vouched.foreign !== true && state === 'approval-requested' ? approval?.id : undefined
    }
    const asking = this.#history?.findCall(invocation)?.question
    return asking?.answer === undefined ? asking?.approvalId : undefined
  }

  #getInput({ toolCallId, input }: ToolInvocation, logged: LoggedCall | undefined): unknown {
    if (logged?.question !== undefined) return inputAfter(logged.question)
    const earlier = this.#history?.earlierInputs
    return earlier?.has(toolCallId) === true ? earlier.get(toolCallId) : input
  }

  get #invocations(): ToolInvocation[] {
    return this.#message.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
  }

  get #history(): CallHistory | undefined {
    return typeof this.#origin === 'object' && 'findCall' in this.#origin ? this.#origin : undefined
  }

  #findVouched(invocation: ToolInvocation): VouchedCall | undefined {
    return this.#origin instanceof Map ? this.#origin.get(invocation) : undefined
  }

  /** The log of the run knows. Without it, only a call that waits for an answer certainly hasn't begun. */
  #mayHaveRun(invocation: ToolInvocation): boolean {
    const history = this.#history
    if (history !== undefined) return history.mayHaveStarted(invocation.toolCallId)
    const { answer, mustAsk } = this.#findVouched(invocation) ?? {}
    return answer === undefined && mustAsk === undefined && invocation.state !== 'approval-requested'
  }

  #isModelMade(invocation: ToolInvocation): boolean {
    const vouched = this.#findVouched(invocation)
    if (vouched !== undefined) return vouched.foreign !== true
    return this.#history?.findCall(invocation)?.isVouchedFor === true
  }
}

function toChunks(invocation: ToolInvocation, isDynamic: boolean): Chunk[] {
  const { toolCallId, toolName, input, title, callProviderMetadata: providerMetadata } = invocation
  const dynamic = isDynamic ? true : undefined
  const shared = { toolCallId, toolName, known: true, ...defined({ dynamic, title, providerMetadata }) }
  const chunks: Chunk[] = [
    { type: 'tool-input-start', ...shared },
    { type: 'tool-input-available', ...shared, input },
  ]
  if (invocation.state === 'approval-responded') {
    const { id: approvalId, signature } = invocation.approval!
    const request = { type: 'tool-approval-request', approvalId, toolCallId, toolName, input, known: true } as const
    chunks.push({ ...request, ...defined({ signature }) })
  }
  return chunks
}
