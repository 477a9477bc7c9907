import type { Chunk, ToolDefinition } from '@argot/core'
import type { Problem } from '../../guard/problem.ts'
import type { Reply } from '../reply/reply.ts'
import type { ClientTools } from './client-tools.ts'

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export interface CompletionRequest {
  /** The body of `POST /chat/completions`. */
  body: Record<string, unknown>
  model: string
  tools: readonly ToolDefinition[]
  /** The client's tools, if its protocol has more than functions. */
  clientTools?: ClientTools
  choice: ToolChoice
  isParallel: boolean
  isStream: boolean
}

export interface TokenUsage {
  input: number
  output: number
  cached: number
  isEstimated: boolean
}

export interface ReplyEnd {
  replies: readonly Reply[]
  usage: TokenUsage
  comment: string
}

/** Writes one reply, as a stream of events or as a body. It gets chunks of text, reasoning, and settled calls. */
export interface ReplyWriter {
  /** The start of the stream, once the upstream has accepted the request. */
  start(): string
  push(chunks: readonly Chunk[], choice: number): string
  /** An upstream event in which nothing changes. Undefined if it can't be passed on unchanged. */
  raw?(event: UpstreamChunk, choice: number): string | undefined
  /** Passes on the parts of an upstream event that the proxy doesn't read. */
  pass?(event: UpstreamChunk): string
  end(end: ReplyEnd): string
  fail(problem: Problem): string
  /** The complete reply, including all pushed chunks. */
  body(end: ReplyEnd): unknown
}

export interface UpstreamChunk {
  data: string
  value: Readonly<Record<string, unknown>>
}

export interface Protocol {
  /** Reads a request. Throws a `Problem` that names the field that can't be translated. */
  read(body: Readonly<Record<string, unknown>>): CompletionRequest
  writer(request: CompletionRequest): ReplyWriter
  error(problem: Problem): unknown
}
