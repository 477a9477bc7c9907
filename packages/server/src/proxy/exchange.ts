import type { Chunk } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import { Problem } from '../guard/problem.ts'
import { ChatWriter } from './protocol/chat-writer.ts'
import type { CompletionRequest, Protocol, ReplyEnd, ReplyWriter, UpstreamChunk } from './protocol/protocol.ts'
import type { Write } from './push-stream.ts'
import { readUsage } from './reply/read-usage.ts'
import { formatComment, type Remark } from './reply/remark.ts'
import { Reply } from './reply/reply.ts'
import { retryMessages, toRetryMessages } from './reply/retry-messages.ts'
import { needsTeaching, readingSyntax, teachingSyntax, teachRequest } from './teach.ts'
import { readPieces } from './upstream/read-pieces.ts'
import { readText, replyTooLong, type Upstream, type UpstreamResponse } from './upstream/upstream.ts'
import { isToolsUnsupported, readUpstreamError, type UpstreamError } from './upstream/upstream-error.ts'
import { type UpstreamEvent, UpstreamEvents } from './upstream/upstream-events.ts'

export interface ExchangeOptions {
  upstream: Upstream
  syntax: Syntax
  /** Models whose tools are taught as text, because their server refused native tools. */
  taught: { has(model: string): boolean; add(model: string): void }
  teaches: boolean
  retries: number
  readsReasoning: boolean
  replyBytes: number
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
  onReply(reply: Reply, remarks: readonly Remark[]): void
}

interface ParsedReply {
  reply: Reply
  chunks: Chunk[]
}

interface EventsResult {
  written: string
  isLast: boolean
  failure?: unknown
}

class UpstreamFailure extends Error {
  readonly error: UpstreamError

  constructor(error: UpstreamError) {
    super(error.message)
    this.error = error
  }
}

/**
 * One client request: sends it upstream, reads the replies, retries if every call of a reply is broken, and writes the
 * result in the client's protocol.
 */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #request: CompletionRequest
  readonly #writer: ReplyWriter
  #isTaught: boolean
  #retriesLeft: number
  #retryMessages: readonly Record<string, unknown>[] = []
  #usage: unknown
  #attempts = 0
  #hasWritten = false
  readonly #remarks: Remark[] = []
  readonly #pending: Remark[] = []

  constructor(options: ExchangeOptions, protocol: Protocol, request: CompletionRequest) {
    this.#options = options
    this.#request = request
    this.#writer = protocol.writer(request)
    this.#isTaught = (options.teaches || options.taught.has(request.model)) && needsTeaching(request)
    const hasSeveralChoices = typeof request.body.n === 'number' && request.body.n > 1
    this.#retriesLeft = hasSeveralChoices ? 0 : options.retries
  }

  get isTaught(): boolean {
    return this.#isTaught
  }

  /** The complete reply in the client's protocol. Throws a `Problem` if there is none. */
  async body(): Promise<unknown> {
    const first = await this.#first()
    return this.#writer.body(await this.#run(first, () => undefined))
  }

  /**
   * Sends the request upstream and returns a function that writes the stream's events. Throws a `Problem` if the
   * upstream refuses. A later failure is written as an event, and then rejects.
   */
  async events(): Promise<(write: Write) => Promise<void>> {
    const first = await this.#first()
    return write => this.#events(first, write)
  }

  async #events(first: UpstreamResponse | ParsedReply, write: Write): Promise<void> {
    const writer = this.#writer
    await write(writer.start())
    try {
      await write(writer.end(await this.#run(first, write)))
    } catch (error) {
      if (this.#options.signal.aborted) return
      const problem = error instanceof Problem ? error : toProblem(error)
      await write(formatComment([...this.#remarks, ...this.#pending]) + writer.fail(problem))
      throw problem
    }
  }

  /** The first readable reply: a response, or a reply quoted in an error. */
  async #first(): Promise<UpstreamResponse | ParsedReply> {
    for (;;) {
      try {
        return await this.#send()
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error
        const next = this.#recover(error.error)
        if (next === 'failed') throw toProblem(error)
        if (next !== 'again') return next
      }
    }
  }

  /** Reads replies until one can be given to the client. */
  async #run(first: UpstreamResponse | ParsedReply, write: Write): Promise<ReplyEnd> {
    let next = first
    for (;;) {
      if ('reply' in next) {
        const { reply, chunks } = next
        this.#options.onReply(reply, this.#takeRemarks(reply))
        await write(this.#push(chunks, 0))
        return this.#end([reply])
      }
      const replies = new Map<number, Reply>()
      try {
        await this.#read(next, replies, write)
        if (!replies.has(0)) this.#reply(replies, 0)
        const outcome = await this.#settle([...replies.values()], write)
        if (outcome instanceof Reply) next = await this.#retry(outcome)
        else return outcome
      } catch (error) {
        for (const reply of replies.values()) {
          const hasOutput = reply.written !== '' || reply.desk.calls.length > 0
          if (hasOutput) this.#options.onReply(reply, this.#takeRemarks(reply))
        }
        if (!(error instanceof UpstreamFailure)) throw error
        const recovery = this.#recover(error.error)
        if (recovery === 'failed') throw toProblem(error)
        next = recovery === 'again' ? await this.#first() : recovery
      }
    }
  }

  /** Ends the replies. Returns how they ended, or the one to request again. */
  async #settle(replies: readonly Reply[], write: Write): Promise<ReplyEnd | Reply> {
    for (const [index, reply] of replies.entries()) await write(this.#push(reply.end(), index))
    const [only] = replies
    const isCut = replies.some(({ finishReason, isStopped }) => finishReason === undefined && !isStopped)
    if (isCut)
      throw new Problem(502, 'PROXY_UPSTREAM_CUT', 'The upstream closed the connection in the middle of its reply.')
    if (only !== undefined && this.#retriesLeft > 0 && only.wantsRetry) return only
    for (const [index, reply] of replies.entries()) {
      this.#options.onReply(reply, this.#takeRemarks(reply))
      await write(this.#push(reply.release(), index))
    }
    return this.#end(replies)
  }

  /** Requests a reply again. If that fails, the reply is used unchanged. */
  async #retry(reply: Reply): Promise<UpstreamResponse | ParsedReply> {
    this.#retriesLeft--
    this.#retryMessages = toRetryMessages(reply)
    try {
      const response = await this.#send()
      this.#options.onReply(reply, this.#takeRemarks(reply))
      return response
    } catch (error) {
      if (error instanceof UpstreamFailure || error instanceof Problem) return { reply, chunks: reply.release() }
      throw error
    }
  }

  #takeRemarks(reply: Reply): readonly Remark[] {
    const remarks = [...this.#pending.splice(0), ...reply.remarks]
    this.#remarks.push(...remarks)
    return remarks
  }

  #end(replies: readonly Reply[]): ReplyEnd {
    const usage = readUsage(this.#usage, this.#request.body, replies)
    return { replies, usage, comment: formatComment(this.#remarks) }
  }

  /** Tries to recover from an error: it may quote a readable reply, or one to request again. */
  #recover(error: UpstreamError): ParsedReply | 'again' | 'failed' {
    const { text } = error
    if (text === undefined || this.#request.tools.length === 0) return 'failed'
    const reply = this.#createReply(false)
    if (this.#writer instanceof ChatWriter) this.#writer.bind(0, reply)
    const chunks = [...reply.push({ delta: { content: text }, finish_reason: 'stop' }), ...reply.end()]
    const { calls, broken } = reply.desk
    if (calls.length > 0 && broken.length === 0) {
      const message = 'The upstream could not read the reply itself; Argot read it from the error.'
      this.#pending.push({ type: 'quoted-error', message })
      // Text that the client already has isn't repeated.
      return { reply, chunks: this.#hasWritten ? chunks.filter(isCall) : chunks }
    }
    if (this.#retriesLeft === 0) return 'failed'
    this.#retriesLeft--
    this.#retryMessages = retryMessages(text, ['It could not be read.'])
    this.#pending.push({
      type: 'broken-call',
      message: `The upstream could not read the reply: ${error.message.slice(0, 300)}`,
    })
    return 'again'
  }

  async #send(): Promise<UpstreamResponse> {
    const { upstream, headers, signal, taught, replyBytes } = this.#options
    const body = this.#body()
    this.#attempts++
    const response = await upstream.send({
      method: 'POST',
      path: '/chat/completions',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: this.#request.isStream ? 'text/event-stream' : 'application/json',
      },
      body: JSON.stringify(body),
      signal,
    })
    const { status } = response
    if (status >= 200 && status < 300) return response
    if (status >= 300 && status < 400) {
      response.body.destroy()
      throw new Problem(
        502,
        'PROXY_UPSTREAM_FAILED',
        'The upstream redirects to another address, which the proxy does not follow.',
      )
    }
    const error = readUpstreamError(status, await readText(response.body, Math.min(replyBytes, 1024 * 1024)))
    if (!this.#isTaught && this.#request.tools.length > 0 && isToolsUnsupported(error)) {
      taught.add(this.#request.model)
      this.#isTaught = true
      this.#pending.push({
        type: 'upstream',
        message: `The upstream has no tool calls for this model, so Argot teaches them as text: ${error.message.slice(0, 300)}`,
      })
      return this.#send()
    }
    throw new UpstreamFailure(error)
  }

  #body(): Record<string, unknown> {
    const { body } = this.#request
    const upstreamBody = this.#isTaught
      ? teachRequest(this.#request, teachingSyntax(this.#options.syntax, this.#request))
      : body
    if (this.#retryMessages.length === 0) return upstreamBody
    return {
      ...upstreamBody,
      messages: [...(Array.isArray(upstreamBody.messages) ? upstreamBody.messages : []), ...this.#retryMessages],
    }
  }

  async #read({ headers, body }: UpstreamResponse, replies: Map<number, Reply>, write: Write): Promise<void> {
    const { replyBytes } = this.#options
    if (!String(headers['content-type']).includes('text/event-stream')) {
      const text = await readText(body, replyBytes)
      await write(this.#take(readChunk(text) ?? notJson(), replies))
      for (const reply of replies.values()) reply.finishReason ??= 'stop'
      return
    }
    const events = new UpstreamEvents()
    let size = 0
    let isOver = false
    try {
      await readPieces(body, piece => {
        size += piece.byteLength
        if (size > replyBytes) throw replyTooLong(replyBytes)
        const { written, isLast, failure } = this.#readEvents(events.push(piece), replies)
        isOver = isLast
        const ready = write(written)
        if (failure !== undefined) throw failure
        return ready?.then(() => !isLast) ?? !isLast
      })
    } catch (error) {
      // The connection broke: the received data decides whether the reply was complete.
      if (typeof (error as NodeJS.ErrnoException).code !== 'string' || error instanceof Problem) throw error
    } finally {
      // A stream that ended by itself leaves its connection to the next request.
      if (isOver && !this.#isStopped(replies)) body.resume()
      else body.destroy()
    }
    if (isOver) return
    const { written, failure } = this.#readEvents(events.end(), replies)
    await write(written)
    if (failure !== undefined) throw failure
  }

  /** What the client gets for these events, up to the one that ends the reply. Includes everything before a failure. */
  #readEvents(events: readonly UpstreamEvent[], replies: Map<number, Reply>): EventsResult {
    let written = ''
    for (const event of events) {
      if (this.#isLast(event, replies)) return { written, isLast: true }
      try {
        written += this.#event(event, replies)
      } catch (failure) {
        return { written, isLast: false, failure }
      }
      if (this.#isStopped(replies)) return { written, isLast: true }
    }
    return { written, isLast: false }
  }

  /** `[DONE]` ends a reply even if the upstream gave no finish reason. */
  #isLast(event: UpstreamEvent, replies: Map<number, Reply>): boolean {
    if (event.type !== 'done') return false
    if (!replies.has(0)) this.#reply(replies, 0)
    for (const reply of replies.values()) reply.finishReason ??= 'stop'
    return true
  }

  #isStopped(replies: ReadonlyMap<number, Reply>): boolean {
    return replies.size === 1 && replies.get(0)?.isStopped === true
  }

  #event(event: UpstreamEvent, replies: Map<number, Reply>): string {
    if (event.type === 'done') return ''
    if (event.type === 'too-long') throw replyTooLong(this.#options.replyBytes)
    if (event.type === 'error') throw new UpstreamFailure(readUpstreamError(500, event.data))
    const chunk = readChunk(event.data)
    if (chunk !== undefined) return this.#take(chunk, replies)
    this.#pending.push({ type: 'upstream', message: 'The upstream sent an event that is not JSON.' })
    return ''
  }

  /** Reads one upstream chunk, or its complete reply, and writes what the client gets for it. */
  #take(chunk: UpstreamChunk, replies: Map<number, Reply>): string {
    const { value, data } = chunk
    if (value.error !== undefined && value.error !== null && !Array.isArray(value.choices)) {
      throw new UpstreamFailure(readUpstreamError(500, data))
    }
    if (isRecord(value.usage)) this.#usage = value.usage
    const { choices } = value
    if (!Array.isArray(choices)) return this.#writer.pass?.(chunk) ?? ''
    const [only] = choices as unknown[]
    if (choices.length === 1 && isRecord(only)) {
      const index = getIndex(only)
      const chunks = this.#reply(replies, index).push(only)
      return this.#takeRaw(chunk, only, chunks, index) ?? (this.#writer.pass?.(chunk) ?? '') + this.#push(chunks, index)
    }
    const parsed = choices.filter(isRecord).map(choice => {
      const index = getIndex(choice)
      return { index, chunks: this.#reply(replies, index).push(choice) }
    })
    const passed = this.#writer.pass?.(chunk) ?? ''
    return passed + parsed.map(({ chunks, index }) => this.#push(chunks, index)).join('')
  }

  /** The event unchanged, if the client gets exactly what the upstream sent. */
  #takeRaw(
    chunk: UpstreamChunk,
    choice: Readonly<Record<string, unknown>>,
    chunks: readonly Chunk[],
    index: number,
  ): string | undefined {
    if (this.#attempts > 1 || !isSame(choice, chunks)) return undefined
    const raw = this.#writer.raw?.(chunk, index)
    this.#hasWritten ||= raw !== undefined
    return raw
  }

  #push(chunks: readonly Chunk[], index: number): string {
    if (chunks.length === 0) return ''
    this.#hasWritten ||= chunks.some(chunk => !isCall(chunk))
    return this.#writer.push(chunks, index)
  }

  #reply(replies: Map<number, Reply>, index: number): Reply {
    const existing = replies.get(index)
    if (existing !== undefined) return existing
    // Choices are numbered from 0, in order.
    if (index !== replies.size || index >= 128)
      throw new Problem(502, 'PROXY_UPSTREAM_FAILED', `The upstream sent a choice with the index ${index}.`)
    const reply = this.#createReply(this.#retriesLeft > 0)
    replies.set(index, reply)
    if (this.#writer instanceof ChatWriter) this.#writer.bind(index, reply)
    return reply
  }

  #createReply(mayRetry: boolean): Reply {
    const { tools, choice, isParallel } = this.#request
    const { syntax, retries, readsReasoning } = this.#options
    const isRead = tools.length > 0 && choice !== 'none'
    return new Reply({
      tools: isRead ? tools : [],
      syntax: isRead ? (this.#isTaught ? teachingSyntax : readingSyntax)(syntax, this.#request) : undefined,
      isTaught: this.#isTaught,
      isSingle: !isParallel,
      holds: retries > 0,
      readsReasoning,
      mayRetry,
    })
  }
}

function isCall({ type }: Chunk): boolean {
  return type.startsWith('tool-')
}

/** The delta is one text and the client gets that text, so the event can be passed on unchanged. */
function isSame(choice: Readonly<Record<string, unknown>>, chunks: readonly Chunk[]): boolean {
  const last = chunks.at(-1)
  if (last?.type !== 'text-delta' && last?.type !== 'reasoning-delta') return false
  if (
    chunks.length > 2 ||
    (chunks.length === 2 && chunks[0]!.type !== 'text-start' && chunks[0]!.type !== 'reasoning-start')
  )
    return false
  const { delta, finish_reason: reason } = choice
  if (!isRecord(delta) || (reason !== null && reason !== undefined)) return false
  if (last.type === 'text-delta') {
    return delta.content === last.delta && !delta.reasoning_content && !delta.reasoning && !isFilled(delta.tool_calls)
  }
  return (delta.reasoning_content ?? delta.reasoning) === last.delta && !delta.content && !isFilled(delta.tool_calls)
}

function getIndex({ index }: Readonly<Record<string, unknown>>): number {
  return typeof index === 'number' ? index : 0
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function readChunk(data: string): UpstreamChunk | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isRecord(value) ? { data, value } : undefined
  } catch {
    return undefined
  }
}

function notJson(): never {
  throw new Problem(502, 'PROXY_UPSTREAM_FAILED', "The upstream's reply is not JSON.")
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (!(error instanceof UpstreamFailure)) throw error
  const { status, message, code } = error.error
  const more = code === undefined ? {} : { code }
  return new Problem(status >= 400 && status < 600 ? status : 502, 'PROXY_UPSTREAM_FAILED', message, { more })
}
