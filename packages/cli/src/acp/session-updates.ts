import type { SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk/unstable'
import { type Accumulator, accumulate, type Chunk, type Message, type ToolInvocation, toolCalls } from '@argot/core'
import { messageToChunks } from '@argot/core/stream'
import { isRecord, stepMark } from '@argot/core/stream/internal'
import { fileBlock, type ToolCallFields, toolCallFields } from './tool-call-fields.ts'

interface AnnouncedCall {
  id: string
  /** The last value of each field that was sent, as JSON. Only changed fields are sent again. */
  sent: Map<keyof ToolCallFields, string>
  status: ToolCallStatus
}

/** A status never moves backwards in this order. */
const statusOrder: readonly ToolCallStatus[] = ['pending', 'in_progress', 'completed', 'failed']

/**
 * Turns the chunks of a session's messages into updates for the client. Each call is announced once, later updates
 * contain only changed fields, and nothing follows the final update. Ids are unique within the session.
 */
export class SessionUpdates {
  readonly #cwd: string
  readonly #ids: Set<string> = new Set()
  #fold: Accumulator = accumulate({ commentary: 'given' })
  #messageId: string | undefined
  #calls: Map<string, AnnouncedCall> = new Map()
  #started: Set<string> = new Set()
  /** The model has finished its step: calls without a pending question are running. */
  #isStepOver = false
  #hasMark = false

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  replay(message: Message): SessionUpdate[] {
    if (message.role === 'user') return userUpdates(message)
    if (message.role !== 'assistant') return []
    return messageToChunks(message).flatMap(chunk => this.push(chunk))
  }

  push(chunk: Chunk): SessionUpdate[] {
    if (chunk.type === 'start') this.#begin(chunk.messageId)
    this.#fold.push(chunk)
    switch (chunk.type) {
      case 'text-delta':
        return chunk.delta === '' ? [] : [this.#textUpdate('agent_message_chunk', chunk.delta)]
      case 'reasoning-delta':
        return chunk.delta === '' ? [] : [this.#textUpdate('agent_thought_chunk', chunk.delta)]
      case 'file':
        return [
          {
            sessionUpdate: 'agent_message_chunk',
            content: fileBlock(chunk.mediaType, chunk.url, chunk.filename),
            ...this.#messageIdField(),
          },
        ]
      case 'tool-input-delta':
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        return []
      case 'data-argot-call':
        if (isRecord(chunk.data) && typeof chunk.data.toolCallId === 'string') this.#started.add(chunk.data.toolCallId)
        break
      case 'tool-approval-request':
        break
      default:
        this.#isStepOver = chunk.type === 'start-step' ? false : this.#isStepOver || this.#hasMark
        this.#hasMark = chunk.type === stepMark
    }
    return this.#callUpdates()
  }

  /** The client's id for a call of the current message. Undefined if the call wasn't announced. */
  findCallId(toolCallId: string): string | undefined {
    for (const [key, { id }] of this.#calls) if (key === toolCallId) return id
    return undefined
  }

  #begin(messageId: string | undefined): void {
    // A parked message that resumes starts with the same id.
    if (messageId !== undefined && messageId === this.#messageId) return
    this.#messageId = messageId
    this.#fold = accumulate({ commentary: 'given' })
    this.#calls = new Map()
    this.#started = new Set()
  }

  #textUpdate(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
    return { sessionUpdate, content: { type: 'text', text }, ...this.#messageIdField() }
  }

  #messageIdField(): { messageId?: string } {
    return this.#messageId === undefined ? {} : { messageId: this.#messageId }
  }

  #callUpdates(): SessionUpdate[] {
    const { message } = this.#fold
    return message === undefined ? [] : toolCalls(message).flatMap(call => this.#callUpdate(call))
  }

  #callUpdate(call: ToolInvocation): SessionUpdate[] {
    const before = this.#calls.get(call.key)
    if (before?.status === 'completed' || before?.status === 'failed') return []
    const fields = toolCallFields(call, this.#cwd, this.#isStepOver || this.#started.has(call.toolCallId))
    const state = before ?? { id: this.#newId(call.key), sent: new Map(), status: fields.status }
    if (statusOrder.indexOf(fields.status) < statusOrder.indexOf(state.status)) fields.status = state.status
    state.status = fields.status
    this.#calls.set(call.key, state)
    const changedFields = this.#takeChangedFields(fields, state.sent)
    if (before === undefined) {
      const { id: toolCallId } = state
      return [{ sessionUpdate: 'tool_call', toolCallId, name: call.toolName, ...fields } as SessionUpdate]
    }
    if (Object.keys(changedFields).length === 0) return []
    return [{ sessionUpdate: 'tool_call_update', toolCallId: state.id, ...changedFields }]
  }

  #takeChangedFields(fields: ToolCallFields, sent: AnnouncedCall['sent']): Partial<ToolCallFields> {
    const entries = Object.entries(fields) as [keyof ToolCallFields, unknown][]
    const changedFields = entries.filter(([name, value]) => {
      const json = JSON.stringify(value) ?? ''
      if (sent.get(name) === json) return false
      sent.set(name, json)
      return true
    })
    return Object.fromEntries(changedFields)
  }

  #newId(key: string): string {
    let id = key
    for (let number = 2; this.#ids.has(id); number++) id = `${key}~${number}`
    this.#ids.add(id)
    return id
  }
}

function userUpdates({ id: messageId, parts }: Message): SessionUpdate[] {
  return parts.flatMap((part): SessionUpdate[] => {
    if (part.type === 'text' && part.text !== '') {
      return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: part.text }, messageId }]
    }
    if (part.type !== 'file') return []
    const content = fileBlock(part.mediaType, part.url, part.filename)
    return [{ sessionUpdate: 'user_message_chunk', content, messageId }]
  })
}
