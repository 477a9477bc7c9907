import type { Chunk } from '@argot/core'
import type { Reply } from '../reply/reply.ts'

interface WrittenCall {
  id: string
  name: string
  arguments: string
}

/** One choice of a chat completions reply. Chunks become deltas, and together a message. */
export class RepliedChoice {
  reply: Reply | undefined
  readonly #calls: Map<string, { index: number; call: WrittenCall }> = new Map()
  #text = ''
  #reasoning = ''
  hasSentRole = false
  readonly #keepsText: boolean

  constructor(keepsText: boolean) {
    this.#keepsText = keepsText
  }

  get callCount(): number {
    return this.#calls.size
  }

  /** The delta for a chunk. Undefined if the client doesn't need it. */
  push(chunk: Chunk): Record<string, unknown> | undefined {
    switch (chunk.type) {
      case 'text-delta':
        if (this.#keepsText) this.#text += chunk.delta
        return this.#first({ content: chunk.delta })
      case 'reasoning-delta':
        if (this.#keepsText) this.#reasoning += chunk.delta
        return this.#first({ [this.#reasoningField]: chunk.delta })
      case 'tool-input-start':
        return this.#start(chunk.toolCallId, chunk.toolName)
      case 'tool-input-delta':
        return this.#arguments(chunk.toolCallId, chunk.inputTextDelta)
      case 'tool-input-error':
        return this.#fail(chunk)
      default:
        return undefined
    }
  }

  message(reply: Reply): Record<string, unknown> {
    const calls = [...this.#calls.values()].map(({ call: { id, name, arguments: json } }) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
      ...reply.getExtra(id),
    }))
    return {
      role: 'assistant',
      content: this.#text === '' && calls.length > 0 ? null : this.#text,
      ...(this.#reasoning === '' ? {} : { [this.#reasoningField]: this.#reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
  }

  get #reasoningField(): string {
    return this.reply?.reasoningField ?? 'reasoning_content'
  }

  #first(delta: Record<string, unknown>): Record<string, unknown> {
    if (this.hasSentRole) return delta
    this.hasSentRole = true
    return { role: 'assistant', ...delta }
  }

  #start(id: string, name: string): Record<string, unknown> {
    const index = this.#calls.size
    this.#calls.set(id, { index, call: { id, name, arguments: '' } })
    const call = { index, id, type: 'function', function: { name, arguments: '' }, ...this.reply?.getExtra(id) }
    return this.#first({ tool_calls: [call] })
  }

  #arguments(id: string, json: string): Record<string, unknown> | undefined {
    const call = this.#calls.get(id)
    if (call === undefined) return undefined
    call.call.arguments += json
    return { tool_calls: [{ index: call.index, function: { arguments: json } }] }
  }

  /** A call that can't be used. The client gets invalid JSON as arguments, so that it can't run it. */
  #fail(chunk: Extract<Chunk, { type: 'tool-input-error' }>): Record<string, unknown> | undefined {
    const { toolCallId: id, toolName = 'unknown', input, errorText } = chunk
    const existing = this.#calls.get(id)
    if (existing !== undefined) return this.#arguments(id, unreadableRest(existing.call.arguments, errorText))
    const index = this.#calls.size
    const raw = typeof input === 'string' ? input : ''
    const json = raw + unreadableRest(raw, errorText)
    this.#calls.set(id, { index, call: { id, name: toolName, arguments: json } })
    const call = {
      index,
      id,
      type: 'function',
      function: { name: toolName, arguments: json },
      ...this.reply?.getExtra(id),
    }
    return this.#first({ tool_calls: [call] })
  }
}

/** The suffix that makes arguments unreadable, if they aren't already. */
export function unreadableRest(json: string, problem: string): string {
  if (json.trim() !== '') {
    try {
      JSON.parse(json)
    } catch {
      return ''
    }
  }
  return ` <!-- not a valid call: ${problem.replace(/\s+/g, ' ').slice(0, 500)} -->`
}
