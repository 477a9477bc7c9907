import type { AnswerNotes, ApprovalDecision } from '../message/approval-answer.ts'
import type { FilePart, FinishReason, TextPart, TextPhase } from '../message/message.ts'
import type { ApprovalFacts, ProviderMetadata, SettledBy, ToolApproval } from '../message/tool-invocation.ts'
import type { ErrorCode } from '../source/error.ts'

/**
 * The chunk protocol: what travels from a model to a screen, one plain object at a time. AI SDK clients (v6, v7) and
 * MUI X Chat read it unchanged. What is Argot's own rides in `providerMetadata.argot` (see `ArgotMetadata`), because
 * AI SDK clients throw on types they do not know.
 *
 * A stream starts with `start` and ends with `finish` or `abort`. The order of an ending is always: a settlement for
 * each open call, `text-end` for open text, `error` if there is one, `finish-step` if a step is open, then `finish` or
 * `abort`.
 */
export type Chunk = LifeChunk | TextChunk | ToolChunk | RestChunk

export type LifeChunk =
  | { type: 'start'; messageId?: string; messageMetadata?: unknown }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  /** What came since the last `start-step` is superseded: the step is made again. */
  | { type: 'reset-step' }
  /**
   * A message that a user sent while the run works. The assistant's message ends before it, and the next `start`, which
   * has another id, begins a new one. It comes between steps, and no `reset-step` takes it back.
   */
  | { type: 'user-message'; messageId: string; parts: readonly (TextPart | FilePart)[]; createdAt?: string }
  | { type: 'finish'; messageId?: string; finishReason?: FinishReason; messageMetadata?: unknown }
  | { type: 'abort'; messageId?: string; reason?: string }
  | { type: 'error'; errorText: string }
  /** Both spellings carry the same value: AI SDK clients read the first, MUI X Chat the second. */
  | { type: 'message-metadata'; messageMetadata?: unknown; metadata?: unknown }

export type TextChunk =
  | { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string; providerMetadata?: ProviderMetadata }
  | { type: 'text-end' | 'reasoning-end'; id: string; providerMetadata?: ProviderMetadata }

export interface ToolInputStart extends ToolChunkExtras {
  type: 'tool-input-start'
  toolCallId: string
  toolName: string
  dynamic?: boolean
  title?: string
  /** `text`: the input is the text of the deltas itself (a custom tool call), not JSON. */
  inputEncoding?: 'json' | 'text'
  known?: boolean
}

/** `JSON.parse` of a call's concatenated deltas equals its input, whatever syntax the model wrote. */
export interface ToolInputDelta {
  type: 'tool-input-delta'
  toolCallId: string
  inputTextDelta: string
  providerMetadata?: ProviderMetadata
}

export interface ToolInputAvailable extends ToolChunkExtras {
  type: 'tool-input-available'
  toolCallId: string
  toolName: string
  input: unknown
  dynamic?: boolean
  title?: string
  known?: boolean
}

/** The text of a call could not be read; `input` is its raw source. The call ends as `output-error`. */
export interface ToolInputError extends ToolChunkExtras {
  type: 'tool-input-error'
  toolCallId: string
  /** That of the call's `tool-input-start` where it is missing. */
  toolName?: string
  input?: unknown
  errorText: string
  dynamic?: boolean
  title?: string
}

export interface ToolApprovalRequest {
  type: 'tool-approval-request'
  /** The tool call's id where it is missing. */
  approvalId?: string
  toolCallId: string
  toolName?: string
  input?: unknown
  dynamic?: boolean
  /** By which the server that asks knows its own question again; in `providerMetadata.argot` too. */
  signature?: string
  /** An earlier stream of the message has said this: whoever has read it ignores the chunk. */
  known?: boolean
  providerMetadata?: ProviderMetadata
}

/** A decision; a second `tool-input-available` carries its `input` into the call. */
export interface ToolApprovalResponse extends ApprovalDecision {
  type: 'tool-approval-response'
  approvalId: string
  toolCallId: string
  known?: boolean
  providerMetadata?: ProviderMetadata
}

export interface ToolOutputAvailable extends ToolChunkExtras {
  type: 'tool-output-available'
  toolCallId: string
  output: unknown
  preliminary?: boolean
  dynamic?: boolean
}

export interface ToolOutputError extends ToolChunkExtras {
  type: 'tool-output-error'
  toolCallId: string
  errorText: string
  dynamic?: boolean
}

export interface ToolOutputDenied {
  type: 'tool-output-denied'
  toolCallId: string
  reason?: string
  providerMetadata?: ProviderMetadata
}

interface ToolChunkExtras {
  providerExecuted?: boolean
  providerMetadata?: ProviderMetadata
  toolMetadata?: Record<string, unknown>
}

export type ToolChunk =
  | ToolInputStart
  | ToolInputDelta
  | ToolInputAvailable
  | ToolInputError
  | ToolApprovalRequest
  | ToolApprovalResponse
  | ToolOutputAvailable
  | ToolOutputError
  | ToolOutputDenied

export type RestChunk =
  | { type: 'source-url'; sourceId: string; url: string; title?: string; providerMetadata?: ProviderMetadata }
  | {
      type: 'source-document'
      sourceId: string
      mediaType: string
      title: string
      filename?: string
      providerMetadata?: ProviderMetadata
    }
  | { type: 'file'; mediaType: string; url: string; filename?: string; providerMetadata?: ProviderMetadata }
  | DataChunk

/** Application data. A transient chunk is for listeners only and leaves no part behind. */
export interface DataChunk {
  type: `data-${string}`
  id?: string
  data: unknown
  transient?: boolean
}

export function isDataChunk(chunk: Chunk): chunk is DataChunk {
  return chunk.type.startsWith('data-')
}

/**
 * The type of the transient chunk with which a loop says that the model has written all of a step: what each text is for
 * is decided here, before the tools run, and a step that was not marked can be made again.
 */
export const stepMark = 'data-argot-step'

/**
 * What Argot puts into `providerMetadata.argot`, merged with what the provider put beside it. The notes about a decision are
 * on `tool-approval-response`.
 */
export interface ArgotMetadata extends AnswerNotes {
  /** On `text-start` or `text-end`: what the text is for. */
  phase?: TextPhase
  /** On `text-end`: the call that the text leads to. */
  toolCallId?: string
  /** On `text-end`: the run stopped in the middle of this text. */
  state?: 'aborted'
  /** On `tool-output-available`: what the user interface gets beside the output (at most 64 KiB as JSON). */
  details?: unknown
  /** On a result: for how many milliseconds it was there before it was its turn. The call ended that much earlier. */
  waited?: number
  /** On `tool-output-error`: no tool answered; this ended the call. */
  settledBy?: SettledBy
  /** On `tool-approval-request`: by which the server that asks knows its own question again. */
  signature?: string
  /** On `tool-approval-request`: what a person needs to know besides the call. */
  facts?: ApprovalFacts
  /** On a result for a client that has no other place for it: the question and its answer. */
  approval?: ToolApproval
  /** On `tool-input-error` and `tool-output-error`: what went wrong, and where in the model's text. */
  code?: ErrorCode
  offset?: number
  /** On `tool-input-available`: what had to be repaired before the text could be read. */
  repaired?: string[]
  /** On `tool-input-available`, `tool-output-available` and `tool-output-error`: fields that a block has besides. */
  extra?: Record<string, unknown>
  /** On `tool-input-available`: the id that the model gave the call, where it came too late to be its `toolCallId`. */
  modelId?: string
  /** On the chunks of a call's input: the id that the provider or the model gave it. It is sent back to the provider. */
  callId?: string
  /** On `tool-input-available` and `tool-input-error`: the dialect that was read, where the syntax reads several. */
  dialect?: string
  /** On `tool-input-available`: the call is written inside the model's reasoning, which was never closed. */
  inReasoning?: true
}

/** A chunk with its place in a run: duplicates are dropped, and what comes too early is held back. */
export interface Envelope {
  eventId?: string
  sequence?: number
  chunk: Chunk
}

/** One line of a run log: offset, time in milliseconds, chunk. */
export interface LogLine {
  o: number
  t: number
  chunk: Chunk
}

export const finishReasons: readonly FinishReason[] = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'other',
]

/** Argot's own data on a chunk, or undefined. */
export function argotMetadata(chunk: object): ArgotMetadata | undefined {
  const metadata = (chunk as { providerMetadata?: unknown }).providerMetadata
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, 'argot')) return undefined
  const own = (metadata as ProviderMetadata).argot
  return typeof own === 'object' && own !== null ? (own as ArgotMetadata) : undefined
}

/** The metadata of `base` with `argot` merged into what Argot already said there. */
export function withArgotMetadata(base: ProviderMetadata | undefined, argot: ArgotMetadata): ProviderMetadata {
  return { ...base, argot: { ...base?.argot, ...argot } }
}
