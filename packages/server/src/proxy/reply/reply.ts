import type { Chunk, ToolDefinition } from '@argot/core'
import { ReplyReader } from '@argot/core/ai-sdk'
import { argotMetadata } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import { native, parse, type Syntax } from '@argot/core/syntax'
import { ChoiceReader, type StreamPart } from '../upstream/choice-reader.ts'
import { CallDesk } from './call-desk.ts'
import { createCallId } from './call-id.ts'
import type { Remark } from './remark.ts'

export interface ReplyOptions {
  tools: readonly ToolDefinition[]
  syntax: Syntax | undefined
  /** The model was taught the syntax instead of getting the tools natively. */
  isTaught: boolean
  isSingle: boolean
  holds: boolean
  /** Calls at the end of unclosed reasoning are calls. */
  readsReasoning: boolean
  mayRetry: boolean
}

/** How much of a reply's text is kept, for the debug page and for retries. */
const KEPT_CHARACTERS = 256 * 1024

/** One choice of one reply. Turns the upstream's data into chunks for the client and remarks for the user. */
export class Reply {
  readonly desk: CallDesk
  finishReason: string | undefined
  written = ''
  reasoning = ''
  readonly #choice: ChoiceReader
  readonly #reader: ReplyReader
  readonly #options: ReplyOptions
  readonly #remarks: Remark[] = []
  /** Text after the limit of calls is left out. */
  #isPastLimit = false

  constructor(options: ReplyOptions) {
    const { tools, syntax, isTaught, isSingle, holds, readsReasoning, mayRetry } = options
    this.#options = options
    const byName = new Map(tools.map(tool => [tool.name, tool]))
    this.#choice = new ChoiceReader(new Set(byName.keys()))
    this.#reader = new ReplyReader({
      syntax: isTaught && syntax !== undefined ? syntax : native,
      salvage: syntax,
      tools,
      step: 0,
      nextId: createCallId,
      limit: isSingle ? 'one' : undefined,
      unknownTools: 'error',
      reasoningCalls: readsReasoning ? 'open' : 'text',
      stop: isTaught ? syntax?.stop : undefined,
    })
    this.desk = new CallDesk({ tools: byName, holds, mayRetry, isNative: id => this.#choice.isNative(id) })
  }

  get remarks(): readonly Remark[] {
    return [...this.#remarks, ...this.desk.remarks]
  }

  /** The limit of calls was reached, so the rest of the reply isn't needed. */
  get isStopped(): boolean {
    return this.#reader.stopped
  }

  get reasoningField(): string {
    return this.#choice.reasoningField
  }

  getExtra(toolCallId: string): Record<string, unknown> | undefined {
    return this.#choice.extras.get(toolCallId)
  }

  /** The upstream meant to call a tool, but no call came. */
  get hasLostCall(): boolean {
    const { calls, broken } = this.desk
    const saysCalled = this.finishReason === 'tool_calls' || this.finishReason === 'function_call'
    return saysCalled && calls.length === 0 && broken.length === 0
  }

  get wantsRetry(): boolean {
    // A reply that was too long or filtered would be so again.
    if (this.finishReason === 'length' || this.finishReason === 'content_filter') return false
    return this.desk.wantsRetry || (this.#options.mayRetry && this.#options.tools.length > 0 && this.hasLostCall)
  }

  push(choice: Readonly<Record<string, unknown>>): Chunk[] {
    if (this.isStopped) return []
    const delta = isRecord(choice.delta) ? choice.delta : isRecord(choice.message) ? choice.message : undefined
    const chunks = delta === undefined ? [] : this.#read(this.#choice.push(delta))
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
      this.finishReason = choice.finish_reason
    return chunks
  }

  /** The reply is over. Without a `finishReason` it was cut off. */
  end(): Chunk[] {
    const parts = this.#choice.end()
    if (this.finishReason !== undefined || this.isStopped) parts.push(finishPart(this.finishReason))
    const chunks = this.#read(parts)
    chunks.push(...this.desk.take(this.#withoutRemainder(this.#reader.end())))
    this.#notice()
    return chunks
  }

  release(): Chunk[] {
    return this.desk.release()
  }

  #read(parts: readonly StreamPart[]): Chunk[] {
    let all: Chunk[] | undefined
    for (const part of parts) {
      if (part.type === 'text-delta' && this.written.length < KEPT_CHARACTERS) this.written += part.delta
      if (part.type === 'reasoning-delta' && this.reasoning.length < KEPT_CHARACTERS) this.reasoning += part.delta
      const chunks = this.#withoutRemainder(this.#reader.push(part))
      const [only] = chunks
      const isPlain = chunks.length === 1 && only?.type === 'text-delta'
      const passed = isPlain && !this.desk.isHolding ? chunks : this.desk.take(chunks)
      if (all === undefined) all = passed
      else all.push(...passed)
    }
    return all ?? []
  }

  #withoutRemainder(chunks: Chunk[]): Chunk[] {
    if (!this.#options.isSingle) return chunks
    return chunks.filter(chunk => {
      if (chunk.type === 'text-start' && argotMetadata(chunk)?.phase === 'remainder') {
        this.#isPastLimit = true
        this.#remarks.push({
          type: 'past-limit',
          message: 'The client allows one call per reply; everything after it was left out.',
        })
      }
      if (!this.#isPastLimit) return true
      if (chunk.type === 'text-end') this.#isPastLimit = false
      return !chunk.type.startsWith('text-')
    })
  }

  #notice(): void {
    const { calls, broken } = this.desk
    for (const { message, toolName, code } of this.#reader.diagnostics) {
      this.#remarks.push({
        type: 'near-miss',
        toolName,
        message: code === 'SYNTAX_NEAR_MISS' ? `${message} It stays text.` : message,
      })
    }
    if (calls.length > 0 || broken.length > 0) return
    this.#noticeReasoning()
    if (this.hasLostCall && this.#options.tools.length > 0) {
      this.#remarks.push({
        type: 'lost-call',
        message: 'The upstream said that the model called a tool, but sent no call.',
      })
    }
  }

  /** A call within reasoning isn't run: the model may only have considered it. */
  #noticeReasoning(): void {
    const { syntax, tools } = this.#options
    if (syntax === undefined || !tools.some(({ name }) => this.reasoning.includes(name))) return
    for (const chunk of parse(syntax, this.reasoning, { tools, unknownTools: 'error' })) {
      if (chunk.type !== 'tool-input-available' && chunk.type !== 'tool-input-error') continue
      const { toolName = 'unknown' } = chunk
      const message = `The model wrote a call to \`${toolName}\` in its reasoning. It was not made.`
      this.#remarks.push({ type: 'near-miss', toolName, message })
      return
    }
  }
}

/** Tells core whether the reply is complete. The protocols write the upstream's own finish reason. */
function finishPart(raw = 'stop'): StreamPart {
  const unified =
    raw === 'length' ? 'length' : raw === 'content_filter' ? 'content-filter' : raw === 'stop' ? 'stop' : 'other'
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
  const usage = { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } }
  return { type: 'finish', finishReason: { unified, raw }, usage }
}
