import { type Chunk, isToolPart, type Message, type MessagePart, type ToolInvocation } from '@argot/core'
import { pickDecision, toApprovalResponse } from '@argot/core/stream/internal'
import type { ChatMessage, ChatStream } from '../../types/index.ts'
import { answeredFields, type CallAnswerInput, tidyAnswer } from '../call-ui.ts'
import type { Conversation, PendingCall } from '../conversation.ts'
import { type Reporter, toErrorMessage } from '../reporter.ts'
import type { RunDriver } from './run-driver.ts'

/** A person's answers to waiting calls. A card shows the answer immediately; a rejected one is taken back. */
export class CallAnswers {
  readonly #conversation: Conversation
  readonly #reporter: Reporter
  readonly #driver: RunDriver
  /** The fields that pending answers give to calls: an answer sent at the same time includes them. */
  readonly #pendingFields: Map<string, Partial<ToolInvocation>> = new Map()

  constructor(conversation: Conversation, reporter: Reporter, driver: RunDriver) {
    this.#conversation = conversation
    this.#reporter = reporter
    this.#driver = driver
  }

  /** Answers a call that asks, if it still asks under this id. The first answer applies. */
  async answer(callKey: string, answer: CallAnswerInput, approvalId?: string): Promise<void> {
    const conversation = this.#conversation
    const call = conversation.call(callKey)
    const ui = conversation.ui(callKey)
    if (call?.state !== 'approval-requested' || ui.isAnswered) return
    if (approvalId !== undefined && call.approval?.id !== approvalId) return
    ui.setAnswer(answer)
    conversation.settlePending(callKey, false)
    const { adapter } = this.#reporter.handlers
    const fields = answeredFields(call, answer)
    await this.#pass(callKey, fields, async () => {
      const stream = await adapter.addToolApprovalResponse?.({
        ...pickDecision(tidyAnswer(answer)),
        id: fields.approval!.id,
        toolCallId: call.toolCallId,
        messages: this.#answeredMessages(),
        signal: this.#signal,
      })
      this.#settle(callKey, answer)
      return stream
    })
  }

  async addToolOutput(callKey: string, output: unknown): Promise<void> {
    const conversation = this.#conversation
    const call = conversation.call(callKey)
    const ui = conversation.ui(callKey)
    if (call === undefined || ui.isAnswered) return
    const { toolCallId, toolName } = call
    ui.setAnswer({ approved: true })
    conversation.settlePending(callKey, false)
    const { adapter } = this.#reporter.handlers
    const fields: Partial<ToolInvocation> = { state: 'output-available', output }
    await this.#pass(callKey, fields, async () => {
      const stream = await adapter.addToolOutput?.({
        toolCallId,
        toolName,
        output,
        messages: this.#answeredMessages(),
        signal: this.#signal,
      })
      this.#change(callKey, [{ type: 'tool-output-available', toolCallId, output }], fields)
      return stream
    })
  }

  /** A text sent while calls wait: the reason why none of them may run, or the answer to a question. */
  answerAll(pending: readonly PendingCall[], text: string): void {
    const approvals = pending.filter(({ kind }) => kind === 'approval')
    for (const { callKey } of approvals) void this.answer(callKey, { approved: false, reason: text })
    const [question] = pending
    if (approvals.length === 0 && question !== undefined) void this.addToolOutput(question.callKey, text)
  }

  get #signal(): AbortSignal {
    return this.#driver.current?.controller.signal ?? new AbortController().signal
  }

  /** Passes an answer on, and reads the stream with which the run continues, if it is a new one. */
  async #pass(
    callKey: string,
    fields: Partial<ToolInvocation>,
    // biome-ignore lint/suspicious/noConfusingVoidType: as adapters have it
    pass: () => Promise<ChatStream | undefined | void>,
  ): Promise<void> {
    this.#pendingFields.set(callKey, fields)
    try {
      const stream = await pass().finally(() => this.#pendingFields.delete(callKey))
      if (!stream) return
      // Only some backends continue with another stream: the code that folds a message again is loaded for them alone.
      const { accumulateFrom } = await import('../accumulate-from.ts')
      await this.#driver.idle()
      const place = this.#conversation.place(callKey)
      const message = place && this.#conversation.record(place.messageId)?.message()
      const continues = message && { message, fold: accumulateFrom }
      await this.#driver.start({ code: 'ANSWER_ERROR', continues }, () => stream)
    } catch (error) {
      this.#onRefusal(callKey, error)
    }
  }

  #settle(callKey: string, answer: CallAnswerInput): void {
    const call = this.#conversation.call(callKey)
    if (call?.state !== 'approval-requested') return
    const { toolCallId, toolName } = call
    const fields = answeredFields(call, answer)
    const chunks: Chunk[] = [toApprovalResponse({ approvalId: fields.approval!.id, toolCallId }, tidyAnswer(answer))]
    if (answer.input !== undefined) {
      chunks.push({ type: 'tool-input-available', toolCallId, toolName, input: answer.input })
    }
    this.#change(callKey, chunks, fields)
  }

  /** Changes a call: in the fold during its run, otherwise in the message itself. */
  #change(callKey: string, chunks: readonly Chunk[], fields: Partial<ToolInvocation>): void {
    const place = this.#conversation.place(callKey)
    const record = place && this.#conversation.record(place.messageId)
    if (place === undefined || record === undefined) return
    const run = this.#driver.current
    if (run !== undefined && run.record === record) for (const chunk of chunks) run.push(chunk)
    else this.#conversation.put(withCall(record.message(), place.index, fields))
  }

  #answeredMessages(): ChatMessage[] {
    let messages = this.#conversation.messages()
    for (const [callKey, fields] of this.#pendingFields) {
      const place = this.#conversation.place(callKey)
      messages = messages.map(one => (one.id === place?.messageId ? withCall(one, place.index, fields) : one))
    }
    return messages
  }

  /** An answer was rejected: another client was first, it is no longer awaited, or it must be given again. */
  #onRefusal(callKey: string, error: unknown): void {
    const { status, approval } = (error ?? {}) as { status?: unknown; approval?: CallAnswerInput }
    const ui = this.#conversation.ui(callKey)
    const isElsewhere = status === 409 || status === 410
    if (isElsewhere && approval !== undefined) {
      ui.setAnswer(approval)
      this.#settle(callKey, approval)
      return
    }
    // The call's other answer arrives with its run.
    if (isElsewhere) {
      ui.answeredElsewhere()
      this.#conversation.settlePending(callKey, false)
      return
    }
    ui.setAnswer(undefined, toErrorMessage(error))
    this.#conversation.settlePending(callKey, true)
    this.#reporter.report('ANSWER_ERROR', 'adapter', error)
  }
}

function withCall(message: Message, index: number, fields: Partial<ToolInvocation>): Message {
  const parts = message.parts.map((part, at) =>
    at === index && isToolPart(part)
      ? ({ ...part, toolInvocation: { ...part.toolInvocation, ...fields } } as MessagePart)
      : part,
  )
  return { ...message, parts }
}
