import type { Chunk } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import { Problem } from '../../guard/problem.ts'
import { messagesError } from './messages-error.ts'
import type { CompletionRequest, ReplyEnd, ReplyWriter } from './protocol.ts'
import { QueuedCalls } from './queued-calls.ts'

type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

/** Writes a reply as Anthropic Messages: one content block after another, each with a start, deltas and a stop. */
export class MessagesWriter implements ReplyWriter {
  readonly #request: CompletionRequest
  readonly #id: string = `msg_${crypto.randomUUID().replaceAll('-', '')}`
  readonly #blocks: Block[] = []
  readonly #calls: QueuedCalls = new QueuedCalls()
  #open: Block | undefined
  #openId: string | undefined
  #json = ''
  #callCount = 0

  constructor(request: CompletionRequest) {
    this.#request = request
  }

  start(): string {
    const message = {
      ...this.#message(),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    }
    return event('message_start', { message }) + event('ping', {})
  }

  push(chunks: readonly Chunk[]): string {
    return this.#calls.write(chunks, chunk => this.#write(chunk))
  }

  end(end: ReplyEnd): string {
    const events = this.push(this.#calls.rest()) + this.#close()
    const delta = { stop_reason: this.#reason(end), stop_sequence: null }
    return events + event('message_delta', { delta, usage: toUsage(end) }) + end.comment + event('message_stop', {})
  }

  fail(problem: Problem): string {
    return `event: error\ndata: ${JSON.stringify(messagesError(problem))}\n\n`
  }

  body(end: ReplyEnd): unknown {
    this.push(this.#calls.rest())
    this.#close()
    return {
      ...this.#message(),
      content: this.#blocks,
      stop_reason: this.#reason(end),
      stop_sequence: null,
      usage: toUsage(end),
    }
  }

  #message(): Record<string, unknown> {
    return { id: this.#id, type: 'message', role: 'assistant', model: this.#request.model }
  }

  #write(chunk: Chunk): string {
    switch (chunk.type) {
      case 'text-delta':
        return this.#text(chunk.delta)
      case 'reasoning-delta':
        return this.#thinking(chunk.delta)
      case 'tool-input-start': {
        const { toolCallId: id, toolName: name } = chunk
        this.#callCount++
        const events = this.#close() + this.#begin({ type: 'tool_use', id, name, input: {} })
        this.#openId = id
        return events
      }
      case 'tool-input-delta':
        if (this.#openId !== chunk.toolCallId) return ''
        this.#json += chunk.inputTextDelta
        return this.#delta({ type: 'input_json_delta', partial_json: chunk.inputTextDelta })
      case 'tool-input-available':
        return this.#close()
      case 'tool-input-error': {
        // Clients complete a call's truncated JSON, so a call that has begun can only be withdrawn as a whole.
        if (this.#openId === chunk.toolCallId)
          throw new Problem(
            502,
            'PROXY_UPSTREAM_FAILED',
            `The model's call to \`${chunk.toolName ?? 'unknown'}\` can't be read. ${chunk.errorText}`,
          )
        return this.#text(`${chunk.toolName ?? 'unknown'}(${typeof chunk.input === 'string' ? chunk.input : ''})`)
      }
      default:
        return ''
    }
  }

  #text(text: string): string {
    if (this.#open?.type === 'text') {
      this.#open.text += this.#request.isStream ? '' : text
      return this.#delta({ type: 'text_delta', text })
    }
    const events = this.#close() + this.#begin({ type: 'text', text: '' })
    return events + this.#text(text)
  }

  #thinking(thinking: string): string {
    if (this.#open?.type === 'thinking') {
      this.#open.thinking += this.#request.isStream ? '' : thinking
      return this.#delta({ type: 'thinking_delta', thinking })
    }
    const events = this.#close() + this.#begin({ type: 'thinking', thinking: '', signature: '' })
    return events + this.#thinking(thinking)
  }

  #begin(block: Block): string {
    this.#open = block
    this.#json = ''
    this.#blocks.push(block)
    return event('content_block_start', { index: this.#blocks.length - 1, content_block: block })
  }

  #delta(delta: Record<string, unknown>): string {
    return event('content_block_delta', { index: this.#blocks.length - 1, delta })
  }

  #close(): string {
    const block = this.#open
    if (block === undefined) return ''
    if (block.type === 'tool_use' && !this.#request.isStream) block.input = readInput(this.#json)
    this.#open = undefined
    this.#openId = undefined
    return event('content_block_stop', { index: this.#blocks.length - 1 })
  }

  #reason({ replies }: ReplyEnd): string {
    const raw = replies[0]?.finishReason
    if (raw === 'length') return 'max_tokens'
    if (raw === 'content_filter') return 'refusal'
    return this.#callCount > 0 ? 'tool_use' : 'end_turn'
  }
}

function event(type: string, fields: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

function toUsage({ usage }: ReplyEnd): Record<string, unknown> {
  const { input, output, cached } = usage
  return {
    input_tokens: Math.max(0, input - cached),
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  }
}

function readInput(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json === '' ? '{}' : json)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
