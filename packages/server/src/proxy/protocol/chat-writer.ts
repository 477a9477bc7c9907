import type { Chunk } from '@argot/core'
import { sseDone } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import type { Problem } from '../../guard/problem.ts'
import type { Reply } from '../reply/reply.ts'
import { openAiError } from './openai-error.ts'
import type { CompletionRequest, ReplyEnd, ReplyWriter, UpstreamChunk } from './protocol.ts'
import { RepliedChoice } from './replied-choice.ts'

/**
 * Writes a reply in the upstream's own protocol. Passes on everything that the proxy doesn't read (ids, fingerprints,
 * timings, usage).
 */
export class ChatWriter implements ReplyWriter {
  readonly #choices: Map<number, RepliedChoice> = new Map()
  readonly #isStream: boolean
  #hasHead = false
  /** The upstream's last chunk or body without its choices: the head of everything that is written. */
  #head: Record<string, unknown>
  /** The head as JSON, without its closing brace. */
  #headJson: string | undefined
  /** A chunk with only the usage, which comes after the end. */
  #usage: string | undefined
  /** Each choice's fields besides the message. */
  readonly #extras: Map<number, Record<string, unknown>> = new Map()

  constructor({ model, isStream }: CompletionRequest) {
    this.#isStream = isStream
    const object = isStream ? 'chat.completion.chunk' : 'chat.completion'
    const created = Math.floor(Date.now() / 1000)
    this.#head = { id: `chatcmpl-${crypto.randomUUID()}`, object, created, model }
  }

  start(): string {
    return ''
  }

  /** The event unchanged, once the client knows whose message it belongs to. */
  raw({ data, value }: UpstreamChunk, index: number): string | undefined {
    if (!this.#isStream || !this.#choice(index).hasSentRole) return undefined
    if (!this.#hasHead) this.#keepHead(value)
    return `data: ${data}\n\n`
  }

  pass({ data, value }: UpstreamChunk): string {
    const { choices, ...head } = value
    if (Array.isArray(choices) && choices.length === 0 && isRecord(value.usage)) {
      this.#usage = data
      return ''
    }
    // After a retry the client still reads a single reply.
    const fixed = this.#hasHead ? { id: this.#head.id, created: this.#head.created } : {}
    this.#hasHead = true
    this.#head = { ...this.#head, ...head, ...fixed, object: this.#head.object }
    this.#headJson = undefined
    if (!Array.isArray(choices)) return ''
    let events = ''
    for (const choice of choices) if (isRecord(choice)) events += this.#passChoice(choice)
    return events
  }

  #keepHead({ choices: _, ...head }: UpstreamChunk['value']): void {
    this.#head = { ...this.#head, ...head, object: this.#head.object }
    this.#headJson = undefined
    this.#hasHead = true
  }

  push(chunks: readonly Chunk[], index: number): string {
    let events = ''
    const choice = this.#choice(index)
    for (const chunk of chunks) {
      const delta = choice.push(chunk)
      if (delta !== undefined) events += this.#event(index, delta, null)
    }
    return events
  }

  end({ replies, comment }: ReplyEnd): string {
    let events = ''
    const { usage: lastUsage } = this.#head
    for (const [index, reply] of replies.entries()) {
      if (index === replies.length - 1 && isRecord(lastUsage))
        this.#headJson = `${this.#json()},"usage":${JSON.stringify(lastUsage)}`
      events += this.#event(index, {}, this.#reason(reply, index), this.#extras.get(index))
    }
    const usage = this.#usage === undefined ? '' : `data: ${this.#usage}\n\n`
    return events + usage + comment + sseDone
  }

  fail(problem: Problem): string {
    return `data: ${JSON.stringify(openAiError(problem))}\n\n${sseDone}`
  }

  body({ replies }: ReplyEnd): unknown {
    const choices = replies.map((reply, index) => {
      const message = { ...this.#choice(index).message(reply), ...this.#messageExtras.get(index) }
      return { index, message, logprobs: null, ...this.#extras.get(index), finish_reason: this.#reason(reply, index) }
    })
    return { ...this.#head, choices }
  }

  readonly #messageExtras: Map<number, Record<string, unknown>> = new Map()

  /** A choice's unread fields: those of the delta in their place, those of the choice with the last event. */
  #passChoice(choice: Readonly<Record<string, unknown>>): string {
    const { index: at, delta, message, finish_reason: _, logprobs, ...rest } = choice
    const index = typeof at === 'number' ? at : 0
    const isBody = isRecord(message)
    const extra = otherFields(isBody ? message : isRecord(delta) ? delta : {})
    if (extra.role !== undefined) this.#choice(index).hasSentRole = true
    if (Object.keys(rest).length > 0 || (isBody && logprobs !== undefined)) {
      this.#extras.set(index, { ...this.#extras.get(index), ...rest, ...(isBody ? { logprobs } : {}) })
    }
    if (isBody) {
      this.#messageExtras.set(index, extra)
      return ''
    }
    if (logprobs === null || logprobs === undefined) {
      return Object.keys(extra).length === 0 ? '' : this.#event(index, extra, null)
    }
    return this.#event(index, extra, null, { logprobs })
  }

  #choice(index: number): RepliedChoice {
    const existing = this.#choices.get(index)
    if (existing !== undefined) return existing
    const choice = new RepliedChoice(!this.#isStream)
    this.#choices.set(index, choice)
    return choice
  }

  /** Called before a choice's first delta, so that it uses the upstream's extra fields and reasoning field. */
  bind(index: number, reply: Reply): void {
    this.#choice(index).reply = reply
  }

  #reason(reply: Reply, index: number): string {
    const raw = reply.finishReason
    if (raw === 'length' || raw === 'content_filter') return raw
    if (this.#choice(index).callCount > 0) return 'tool_calls'
    return raw === undefined || raw === 'tool_calls' || raw === 'function_call' ? 'stop' : raw
  }

  #event(index: number, delta: object, reason: string | null, extra?: Record<string, unknown>): string {
    const choice = JSON.stringify({ index, delta, ...extra, finish_reason: reason })
    return `data: ${this.#json()},"choices":[${choice}]}\n\n`
  }

  #json(): string {
    this.#headJson ??= JSON.stringify({ ...this.#head, usage: undefined }).slice(0, -1)
    return this.#headJson
  }
}

/** Fields that the proxy reads and writes itself. Every message has a `role`. */
const readFields: ReadonlySet<string> = new Set([
  'content',
  'reasoning_content',
  'reasoning',
  'thinking',
  'tool_calls',
  'function_call',
])

function otherFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const others = Object.entries(fields).filter(
    ([name, value]) => !readFields.has(name) && name !== 'refusal' && value !== null,
  )
  return Object.fromEntries(others)
}
