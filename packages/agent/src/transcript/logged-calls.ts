import type { Chunk } from '@argot/core'
import { argotMetadata, settledState } from '@argot/core/stream'
import { type ApprovalAnswer, type ApprovalCheck, defined, toApprovalAnswer } from '@argot/core/stream/internal'
import { startedCall } from '../store/marks.ts'

/** One question to a person about a call. Its answer never applies to another question. */
export interface LoggedQuestion {
  approvalId: string
  /** What the person saw. */
  input: unknown
  answer?: ApprovalAnswer
  /** The state of the files that the call would change. */
  check?: ApprovalCheck
}

export interface LoggedCall {
  toolName: string | undefined
  /** Every input that the log has for the call: from the model, from a question, from a person who edited it. */
  inputs: unknown[]
  /** The run's model made the call, or a person approved it in the run. */
  isVouchedFor: boolean
  /** The tool started after the last answer, and has not returned a result. */
  isStarted: boolean
  question?: LoggedQuestion
}

/** Watches a log for its open calls: who made them, the questions and answers, and which tools have started. */
export class LoggedCalls {
  readonly #calls: Map<string, LoggedCall> = new Map()
  /** The calls of the open step, which a reset removes. */
  readonly #stepCalls: Set<string> = new Set()
  #inStep = false
  readonly approvalIds: Set<string> = new Set()

  get(toolCallId: string): LoggedCall | undefined {
    return this.#calls.get(toolCallId)
  }

  get started(): ReadonlySet<string> {
    return new Set([...this.#calls].flatMap(([id, { isStarted }]) => (isStarted ? [id] : [])))
  }

  /** The inputs that people saw in a question or entered themselves, by call. */
  get questionInputs(): ReadonlyMap<string, unknown> {
    const inputs = new Map<string, unknown>()
    for (const [id, { question }] of this.#calls) if (question !== undefined) inputs.set(id, inputAfter(question))
    return inputs
  }

  watch(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#inStep = true
        return this.#stepCalls.clear()
      case 'finish-step':
        this.#inStep = false
        return
      case 'reset-step':
        this.#inStep = false
        for (const id of this.#stepCalls) this.#calls.delete(id)
        return this.#stepCalls.clear()
      case 'tool-input-start':
        if (chunk.known !== true || !this.#calls.has(chunk.toolCallId)) this.#begin(chunk.toolCallId, chunk.toolName)
        return
      case 'tool-input-available':
        return this.#takeInput(chunk)
      case 'tool-approval-request':
        return this.#takeQuestion(chunk)
      case 'tool-approval-response':
        return this.#takeAnswer(chunk)
      default: {
        const started = this.#calls.get(startedCall(chunk) ?? '')
        if (started !== undefined) started.isStarted = true
        if ('toolCallId' in chunk && settledState(chunk) !== undefined) this.#calls.delete(chunk.toolCallId)
      }
    }
  }

  /** A model may reuse an id: what the log knows about an earlier call doesn't apply to this one. */
  #begin(toolCallId: string, toolName: string | undefined): LoggedCall {
    const call: LoggedCall = { toolName, inputs: [], isVouchedFor: false, isStarted: false }
    this.#calls.set(toolCallId, call)
    if (this.#inStep) this.#stepCalls.add(toolCallId)
    return call
  }

  #takeInput({ toolCallId, toolName, input, known }: Extract<Chunk, { type: 'tool-input-available' }>): void {
    const call = this.#calls.get(toolCallId) ?? this.#begin(toolCallId, toolName)
    call.toolName = toolName
    call.inputs.push(input)
    if (this.#inStep && known !== true) call.isVouchedFor = true
  }

  /** A question repeated under the same id is the same question. */
  #takeQuestion(chunk: Extract<Chunk, { type: 'tool-approval-request' }>): void {
    const { toolCallId, toolName, approvalId = toolCallId } = chunk
    this.approvalIds.add(approvalId)
    const call = this.#calls.get(toolCallId) ?? this.#begin(toolCallId, toolName)
    const { check } = argotMetadata(chunk)?.facts ?? {}
    if (call.question?.approvalId === approvalId) {
      if (check !== undefined) call.question.check = check
      return
    }
    const input = chunk.input === undefined ? call.inputs.at(-1) : chunk.input
    call.inputs.push(input)
    call.question = { approvalId, input, ...defined({ check }) }
  }

  #takeAnswer(chunk: Extract<Chunk, { type: 'tool-approval-response' }>): void {
    const { toolCallId, approvalId = toolCallId } = chunk
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId)
    const { question } = call ?? {}
    if (call === undefined || question?.approvalId !== approvalId || question.answer !== undefined) return
    const answer = toApprovalAnswer(chunk)
    question.answer = answer
    // The person has decided, knowing that the tool may have run before.
    call.isStarted = false
    if (!answer.approved) return
    call.isVouchedFor = true
    if (answer.input !== undefined) call.inputs.push(answer.input)
  }
}

/** The input that a call runs with after a question: the one the person saw, or the one they entered instead. */
export function inputAfter({ input, answer }: LoggedQuestion): unknown {
  return answer?.approved === true && 'input' in answer ? answer.input : input
}
