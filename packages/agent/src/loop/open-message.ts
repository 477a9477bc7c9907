import { isDeepStrictEqual } from 'node:util'
import { type Accumulator, accumulate, type Chunk, isToolPart, type Message, type ToolInvocation } from 'argot'
import { CallKeys, chunkFacts, defined, isSettled, messageToChunks, type ToolEffect } from 'argot/stream'
import type { ApprovalAnswer } from '../approval/approval.ts'
import type { LoopCall } from './calls/step-calls.ts'

/** What is known of the calls that a message left open. */
export interface CallHistory {
  /** Whether the tool of a call may have been started: what it did is not known then. */
  mayHaveStarted(toolCallId: string): boolean
  /** What a person gave calls instead of the input that the message shows, by id. */
  inputs: ReadonlyMap<string, unknown>
  /** The calls that a model is known to have made. */
  made: readonly ToolInvocation[]
}

/** What the giver of a message says of a call that is open in it. */
export interface VouchedCall {
  /** A person has answered the question about it. */
  answer?: ApprovalAnswer | undefined
  /** It is not known that a model made it. */
  foreign?: boolean | undefined
  /** Why it needs a yes whatever the policy says. */
  mustAsk?: string | undefined
}

/** `nobody`: the message was read from a document without a log. */
export type CallOrigin = CallHistory | ReadonlyMap<ToolInvocation, VouchedCall> | 'nobody'

/** The message of the assistant that a run continues, and what it left open. */
export class OpenMessage {
  readonly #message: Message
  readonly #origin: CallOrigin
  readonly #asksAgain: boolean

  /** `asksAgain`: somebody can be asked a second time about a call that was interrupted after a yes. */
  constructor(message: Message, origin: CallOrigin, asksAgain = true) {
    this.#message = message
    this.#origin = origin
    this.#asksAgain = asksAgain
  }

  get id(): string {
    return this.#message.id
  }

  /** When it began, where the document says so. */
  get createdAt(): string | undefined {
    return this.#message.createdAt
  }

  /** It is an answer that reached the token limit: the model is asked for the rest. */
  get isCut(): boolean {
    return this.#message.finishReason === 'length'
  }

  /** How many steps it has. */
  get steps(): number {
    return this.#message.parts.filter(part => part.type === 'step-start').length
  }

  /** The keys of its calls, which those that come have not. */
  get keys(): CallKeys {
    const keys = new CallKeys()
    for (const part of this.#message.parts) if (isToolPart(part)) keys.take(part.toolInvocation.toolCallId)
    return keys
  }

  /** The ids of the questions that it left without an answer: their answers may come before they are asked again. */
  get questions(): ReadonlySet<string> {
    const open = this.#message.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
    return new Set(
      open.flatMap(({ state, approval }) => (state === 'approval-requested' && approval ? [approval.id] : [])),
    )
  }

  /** The ids of all its questions: an answer to one must never meet another. */
  get approvalIds(): ReadonlySet<string> {
    const calls = this.#message.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
    return new Set(calls.flatMap(({ approval }) => (approval === undefined ? [] : [approval.id])))
  }

  /**
   * The ids of its questions whose answers have been used: the tools of their calls may have begun. Such an answer must
   * not count for the question whether to run the tool again.
   */
  get usedAnswers(): ReadonlySet<string> {
    const calls = this.#message.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
    const used = calls.filter(call => this.#isAnswered(call) && this.#mayHaveRun(call))
    return new Set(used.map(({ approval }) => approval!.id))
  }

  /** The message as a fold that can be continued; what it says already keeps its times. */
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

  /** The calls that nobody has answered, with the chunks that name them again for readers of this run. */
  calls(effectOf: (toolName: string) => ToolEffect | undefined): { call: LoopCall; chunks: Chunk[] }[] {
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
        call: this.#toCall(invocation, key, effectOf(invocation.toolName)),
        chunks: chunksOf(invocation, dynamic),
      }))
  }

  #toCall(invocation: ToolInvocation, key: string, effect: ToolEffect | undefined): LoopCall {
    const { toolCallId, toolName, input: written, title, approval, startedAt } = invocation
    const history = this.#history
    const { answer, mustAsk } = this.#vouchedFor(invocation) ?? {}
    const input = history?.inputs.has(toolCallId) === true ? history.inputs.get(toolCallId) : written
    return {
      toolCallId,
      toolName,
      input,
      key,
      title,
      startedAt,
      approvalId: approval?.id,
      interrupted: effect !== 'read' && this.#mayHaveRun(invocation),
      isAnswered: !this.#asksAgain && this.#isAnswered(invocation),
      edited: !isDeepStrictEqual(input, written),
      foreign: !this.#isKnown(invocation),
      answer,
      mustAsk,
    }
  }

  get #history(): CallHistory | undefined {
    return typeof this.#origin === 'object' && 'made' in this.#origin ? this.#origin : undefined
  }

  #vouchedFor(invocation: ToolInvocation): VouchedCall | undefined {
    return this.#origin instanceof Map ? this.#origin.get(invocation) : undefined
  }

  /** With the log of the run it is known; without it, only a call that waits for an answer surely has not begun. */
  #mayHaveRun(invocation: ToolInvocation): boolean {
    const history = this.#history
    if (history !== undefined) return history.mayHaveStarted(invocation.toolCallId)
    const { answer, mustAsk } = this.#vouchedFor(invocation) ?? {}
    return answer === undefined && mustAsk === undefined && invocation.state !== 'approval-requested'
  }

  /** The log knows it, and the document only once the call is settled. */
  #isAnswered({ toolCallId, approval }: ToolInvocation): boolean {
    if (approval === undefined) return false
    const logged = this.#history?.made.find(one => one.toolCallId === toolCallId)?.approval
    return approval.approved !== undefined || (logged?.id === approval.id && logged.approved !== undefined)
  }

  #isKnown(invocation: ToolInvocation): boolean {
    const vouched = this.#vouchedFor(invocation)
    if (vouched !== undefined) return vouched.foreign !== true
    const { toolCallId, toolName, input } = invocation
    return (
      this.#history?.made.some(
        one => one.toolCallId === toolCallId && one.toolName === toolName && isDeepStrictEqual(one.input, input),
      ) === true
    )
  }
}

function chunksOf(invocation: ToolInvocation, isDynamic: boolean): Chunk[] {
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
