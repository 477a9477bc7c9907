import type { Chunk, ToolDefinition } from '@argot/core'
import type { Problem } from '../../guard/problem.ts'
import type { Reply } from '../reply/reply.ts'
import type { ClientTools } from './client-tools.ts'

/** Which tools the model may call, or must. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

/** A request of any protocol: what the upstream is asked, and what is needed to read its reply. */
export interface CompletionRequest {
  /** As `POST /chat/completions` takes it. */
  body: Record<string, unknown>
  model: string
  tools: readonly ToolDefinition[]
  /** What the client calls them, if its protocol has more than functions. */
  clientTools?: ClientTools
  choice: ToolChoice
  /** More than one call in a reply is allowed. */
  isParallel: boolean
  isStream: boolean
}

/** Tokens, as far as they are known. */
export interface TokenUsage {
  input: number
  output: number
  cached: number
  isEstimated: boolean
}

/** How a reply ended. */
export interface ReplyEnd {
  replies: readonly Reply[]
  /** As the upstream counted, or estimated. */
  usage: TokenUsage
  /** Events of the stream for people, as a comment. */
  comment: string
}

/** Writes one reply, as a stream of events or as a body. It gets chunks of text, of reasoning, and of calls that are settled. */
export interface ReplyWriter {
  /** What a stream begins with, once the upstream has accepted the request. */
  start(): string
  /** Chunks of a choice of the reply, as events. */
  push(chunks: readonly Chunk[], choice: number): string
  /** An event of the upstream in which nothing changes. Undefined if it can't be passed on as it is. */
  raw?(event: UpstreamChunk, choice: number): string | undefined
  /** Passes on what the proxy doesn't read of an event of the upstream. */
  pass?(event: UpstreamChunk): string
  end(end: ReplyEnd): string
  /** The stream ends with this error. */
  fail(problem: Problem): string
  /** The complete reply. Chunks that were pushed are in it. */
  body(end: ReplyEnd): unknown
}

/** One chunk of a chat completions stream, or a complete reply. */
export interface UpstreamChunk {
  data: string
  value: Readonly<Record<string, unknown>>
}

export interface Protocol {
  /** Reads a request. Throws a `Problem` that names the field that can't be translated. */
  read(body: Readonly<Record<string, unknown>>): CompletionRequest
  writer(request: CompletionRequest): ReplyWriter
  /** An error as a body. */
  error(problem: Problem): unknown
}
