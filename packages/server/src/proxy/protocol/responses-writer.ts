import type { Chunk } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { Problem } from '../../guard/problem.ts'
import { type ClientTool, readFreeformInput } from './client-tools.ts'
import { openAiError } from './openai-error.ts'
import type { CompletionRequest, ReplyEnd, ReplyWriter } from './protocol.ts'
import { QueuedCalls } from './queued-calls.ts'
import { unreadableRest } from './replied-choice.ts'

type Item = Record<string, unknown>

interface OpenItem {
  kind: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call'
  id: string
  callId?: string
  tool?: ClientTool
  /** For a call, its arguments as JSON. */
  text: string
}

export class ResponsesWriter implements ReplyWriter {
  readonly #request: CompletionRequest
  readonly #id: string = `resp_${hex()}`
  readonly #created: number = Math.floor(Date.now() / 1000)
  readonly #output: Item[] = []
  readonly #calls: QueuedCalls = new QueuedCalls()
  #open: OpenItem | undefined
  #sequence = 0

  constructor(request: CompletionRequest) {
    this.#request = request
  }

  start(): string {
    const response = this.#response('in_progress', null)
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response })
  }

  push(chunks: readonly Chunk[]): string {
    return this.#calls.write(chunks, chunk => this.#write(chunk))
  }

  end(end: ReplyEnd): string {
    const events = this.push(this.#calls.rest()) + this.#close()
    const response = this.#complete(end)
    return events + end.comment + this.#event(`response.${String(response.status)}`, { response })
  }

  fail(problem: Problem): string {
    const { error } = openAiError(problem)
    const response = { ...this.#response('failed', null), error: { code: error.code, message: error.message } }
    return this.#event('response.failed', { response })
  }

  body(end: ReplyEnd): unknown {
    this.push(this.#calls.rest())
    this.#close()
    return this.#complete(end)
  }

  #complete({ replies, usage }: ReplyEnd): Item {
    const raw = replies[0]?.finishReason
    const reason = raw === 'length' ? 'max_output_tokens' : raw === 'content_filter' ? 'content_filter' : undefined
    const response = this.#response(reason === undefined ? 'completed' : 'incomplete', {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    })
    return reason === undefined ? response : { ...response, incomplete_details: { reason } }
  }

  #response(status: string, usage: Item | null): Item {
    const { body, model, isParallel } = this.#request
    return {
      id: this.#id,
      object: 'response',
      created_at: this.#created,
      status,
      model,
      output: [...this.#output],
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: isParallel,
      temperature: body.temperature ?? null,
      top_p: body.top_p ?? null,
      tool_choice: 'auto',
      tools: [],
      store: false,
      usage,
    }
  }

  #write(chunk: Chunk): string {
    switch (chunk.type) {
      case 'text-delta':
        return this.#text(chunk.delta)
      case 'reasoning-delta':
        return this.#reasoning(chunk.delta)
      case 'tool-input-start':
        return this.#beginCall(chunk.toolCallId, chunk.toolName)
      case 'tool-input-delta':
        return this.#arguments(chunk.toolCallId, chunk.inputTextDelta)
      case 'tool-input-available':
        return this.#endCall(chunk.toolCallId, chunk.toolName)
      case 'tool-input-error':
        return this.#fail(chunk)
      default:
        return ''
    }
  }

  #endCall(toolCallId: string, toolName: string): string {
    const isBroken = this.#open?.kind === 'custom_tool_call' && readFreeformInput(this.#open.text) === undefined
    if (!isBroken) return this.#close()
    return this.#fail({ type: 'tool-input-error', toolCallId, toolName, input: '', errorText: 'It has no `input`.' })
  }

  #fail({ toolCallId, toolName = 'unknown', input, errorText }: Extract<Chunk, { type: 'tool-input-error' }>): string {
    const raw = typeof input === 'string' ? input : ''
    const isOpen = this.#open?.callId === toolCallId
    // Any text is valid input for a freeform tool, so its call can't be marked as broken.
    if (this.#tool(toolName).isFreeform) {
      if (!isOpen) return this.#text(`${toolName}(${raw})`)
      throw new Problem(502, 'PROXY_UPSTREAM_FAILED', `The model's call to \`${toolName}\` can't be read. ${errorText}`)
    }
    const beginning = isOpen
      ? ''
      : this.#beginCall(toolCallId, toolName) + (raw === '' ? '' : this.#arguments(toolCallId, raw))
    const rest = unreadableRest(this.#open?.text ?? '', errorText)
    return beginning + (rest === '' ? '' : this.#arguments(toolCallId, rest)) + this.#close()
  }

  #text(delta: string): string {
    let events = ''
    if (this.#open?.kind !== 'message') {
      events = this.#close() + this.#begin({ kind: 'message', id: `msg_${hex()}`, text: '' })
      events += this.#onPart('response.content_part.added', { part: textPart('') })
    }
    this.#open!.text += delta
    return events + this.#onPart('response.output_text.delta', { delta, logprobs: [] })
  }

  #reasoning(delta: string): string {
    let events = ''
    if (this.#open?.kind !== 'reasoning') {
      events = this.#close() + this.#begin({ kind: 'reasoning', id: `rs_${hex()}`, text: '' })
      events += this.#onPart('response.content_part.added', { part: reasoningPart('') })
    }
    this.#open!.text += delta
    return events + this.#onPart('response.reasoning_text.delta', { delta })
  }

  #tool(functionName: string): ClientTool {
    const plain = { name: functionName, namespace: undefined, isFreeform: false }
    return this.#request.clientTools?.find(functionName) ?? plain
  }

  #beginCall(callId: string, functionName: string): string {
    const tool = this.#tool(functionName)
    const kind = tool.isFreeform ? 'custom_tool_call' : 'function_call'
    return (
      this.#close() + this.#begin({ kind, id: `${tool.isFreeform ? 'ctc' : 'fc'}_${hex()}`, callId, tool, text: '' })
    )
  }

  /** A freeform tool's text is inside the JSON, so it is sent when that is complete. */
  #arguments(callId: string, delta: string): string {
    if (this.#open?.callId !== callId) return ''
    this.#open.text += delta
    return this.#open.kind === 'function_call' ? this.#onItem('response.function_call_arguments.delta', { delta }) : ''
  }

  #begin(open: OpenItem): string {
    this.#open = open
    const isCall = open.tool !== undefined
    const item = { ...toItem(open, 'in_progress'), ...(isCall ? {} : { content: [] }) }
    return this.#event('response.output_item.added', { output_index: this.#output.length, item })
  }

  #close(): string {
    const open = this.#open
    if (open === undefined) return ''
    let events = ''
    if (open.kind === 'message') {
      events += this.#onPart('response.output_text.done', { text: open.text, logprobs: [] })
      events += this.#onPart('response.content_part.done', { part: textPart(open.text) })
    } else if (open.kind === 'reasoning') {
      events += this.#onPart('response.reasoning_text.done', { text: open.text })
      events += this.#onPart('response.content_part.done', { part: reasoningPart(open.text) })
    } else if (open.kind === 'custom_tool_call') {
      const input = readFreeformInput(open.text) ?? ''
      events += this.#onItem('response.custom_tool_call_input.delta', { delta: input })
      events += this.#onItem('response.custom_tool_call_input.done', { input })
    } else {
      events += this.#onItem('response.function_call_arguments.done', {
        name: open.tool?.name,
        arguments: open.text,
      })
    }
    const item = toItem(open, 'completed')
    events += this.#event('response.output_item.done', { output_index: this.#output.length, item })
    this.#output.push(item)
    this.#open = undefined
    return events
  }

  #onItem(type: string, fields: Item): string {
    return this.#event(type, { item_id: this.#open!.id, output_index: this.#output.length, ...fields })
  }

  #onPart(type: string, fields: Item): string {
    return this.#onItem(type, { content_index: 0, ...fields })
  }

  #event(type: string, fields: Item): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })}\n\n`
  }
}

function toItem({ kind, id, callId, tool, text }: OpenItem, status: string): Item {
  const names = { call_id: callId, name: tool?.name, ...defined({ namespace: tool?.namespace }) }
  switch (kind) {
    case 'message':
      return { id, type: 'message', status, role: 'assistant', content: [textPart(text)] }
    case 'reasoning':
      return { id, type: 'reasoning', summary: [], content: [reasoningPart(text)] }
    case 'function_call':
      return { id, type: 'function_call', status, ...names, arguments: text }
    case 'custom_tool_call':
      return { id, type: 'custom_tool_call', status, ...names, input: readFreeformInput(text) ?? '' }
  }
}

function textPart(text: string): Item {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function reasoningPart(text: string): Item {
  return { type: 'reasoning_text', text }
}

function hex(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
