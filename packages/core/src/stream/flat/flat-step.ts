import { isToolPart, type MessagePart, type TextPart } from '../../message/message.ts'
import { isSettled, type ToolInvocation } from '../../message/tool-invocation.ts'
import { isRecord } from '../../source/is-record.ts'
import type { FlatToolCall } from './flat-chat-message.ts'

export class FlatStep {
  /** Without the commentary after the last call. */
  readonly calls: FlatToolCall[] = []
  #answer = ''
  #texts = ''
  /** The commentary of a step without a call, which belongs to no call. */
  #unowned = ''
  #isCutOff = false

  /** The cost depends only on the part's length. */
  add(part: MessagePart): void {
    if (isToolPart(part)) {
      this.calls.push(toFlatCall(part.toolInvocation, this.#texts.trim()))
      this.#texts = ''
    } else if (part.type === 'text') {
      if (isAnswer(part)) this.#answer += part.text
      else if (part.phase === 'commentary') {
        this.#texts += part.text
        this.#unowned += part.text
      }
      this.#isCutOff ||= part.state === 'aborted'
    }
  }

  /** A step that broke off without a call and was repeated has no part in the answer. */
  content(isLast: boolean): string {
    if (this.calls.length > 0) return this.#answer
    return this.#isCutOff && !isLast ? '' : this.#answer + this.#unowned
  }

  /** The last call also owns the commentary after it. */
  allCalls(): readonly FlatToolCall[] {
    const last = this.calls.at(-1)
    const after = this.#texts.trim()
    if (last === undefined || after === '') return this.calls
    const commentary = last.commentary === undefined ? after : `${last.commentary}\n\n${after}`
    return [...this.calls.slice(0, -1), { ...last, commentary }]
  }
}

function isAnswer(part: TextPart): boolean {
  return part.phase === undefined || part.phase === 'final' || (part.phase === 'pending' && part.state === 'aborted')
}

function toFlatCall(call: ToolInvocation, commentary: string): FlatToolCall {
  const flat: FlatToolCall = {
    id: call.toolCallId,
    name: call.toolName,
    args: toArguments(call.input),
    status: flatStatus(call),
  }
  if (call.input === undefined && call.rawInput !== undefined && isSettled(call))
    Object.assign(flat, toUnreadArguments(call))
  if (call.output !== undefined) flat.result = call.output
  if (call.state === 'output-denied') flat.error = call.approval?.reason ?? 'The call was denied.'
  else if (call.errorText !== undefined) flat.error = call.errorText
  if (commentary !== '') flat.commentary = commentary
  return flat
}

/** The model wrote an object that doesn't match, or a text that could not be read. */
function toUnreadArguments({ rawInput }: ToolInvocation): Pick<FlatToolCall, 'args' | 'rawArgs'> {
  return { args: isRecord(rawInput) ? rawInput : {}, rawArgs: rawInput }
}

function toArguments(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>
  return input === undefined ? {} : { input }
}

function flatStatus(call: ToolInvocation): FlatToolCall['status'] {
  switch (call.state) {
    case 'input-streaming':
    case 'approval-requested':
      return 'pending'
    case 'input-available':
    case 'approval-responded':
      return 'running'
    case 'output-available':
      return call.preliminary === true ? 'running' : 'completed'
    case 'output-error':
    case 'output-denied':
      return 'error'
  }
}
