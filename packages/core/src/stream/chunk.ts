import type { AnswerNotes, ApprovalDecision } from '../message/approval-answer.ts'
import type {
  FilePart,
  FinishReason,
  SourceDocumentPart,
  SourceUrlPart,
  TextPart,
  TextPhase,
} from '../message/message.ts'
import type { ApprovalFacts, ProviderMetadata, SettledBy, ToolApproval } from '../message/tool-invocation.ts'
import type { ErrorCode } from '../source/error.ts'

/**
 * The chunk protocol: what travels from a model to a screen, one plain object at a time. AI SDK clients (v6, v7) and
 * MUI X Chat read it unchanged. Argot's own data is in `providerMetadata.argot` (see `ArgotMetadata`), because AI SDK
 * clients throw on unknown types.
 *
 * A stream starts with `start` and ends with `finish` or `abort`. The order of an ending is always: a settlement for
 * each open call, `text-end` for open text, `error` if there is one, `finish-step` if a step is open, then `finish` or
 * `abort`.
 */
export type Chunk = LifecycleChunk | TextChunk | ToolChunk | PartChunk

export type LifecycleChunk =
  | { type: 'start'; messageId?: string; messageMetadata?: unknown }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  /** Everything since the last `start-step` is superseded: the step is repeated. */
  | { type: 'reset-step' }
  /**
   * A message that a user sent during the run. The assistant's message ends before it, and the next `start`, which has
   * another id, begins a new one. It comes between steps, and no `reset-step` takes it back.
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

/** The text of a call could not be parsed; `input` is its raw source. The call ends as `output-error`. */
export interface ToolInputError extends ToolChunkExtras {
  type: 'tool-input-error'
  toolCallId: string
  /** Defaults to the name in the call's `tool-input-start`. */
  toolName?: string
  input?: unknown
  errorText: string
  dynamic?: boolean
  title?: string
}

export interface ToolApprovalRequest {
  type: 'tool-approval-request'
  /** Defaults to the tool call's id. */
  approvalId?: string
  toolCallId: string
  toolName?: string
  input?: unknown
  dynamic?: boolean
  /** Lets the server recognize its own question; also in `providerMetadata.argot`. */
  signature?: string
  /** An earlier stream of the message already said this. Readers of that stream ignore the chunk. */
  known?: boolean
  providerMetadata?: ProviderMetadata
}

/** A decision. If it has an `input`, a second `tool-input-available` puts it into the call. */
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

export type PartChunk = SourceUrlPart | SourceDocumentPart | FilePart | DataChunk

/** Application data. A transient chunk is for listeners only and leaves no part. */
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
 * The type of the transient chunk that a loop sends once the model has written all of a step. It decides each text's
 * phase before the tools run. A step without this mark can be repeated.
 */
export const stepMark = 'data-argot-step'

/**
 * Argot's data in `providerMetadata.argot`, merged with what the provider put there. The notes about a decision are on
 * `tool-approval-response`.
 */
export interface ArgotMetadata extends AnswerNotes {
  /** On `text-start` or `text-end`: the text's purpose. */
  phase?: TextPhase
  /** On `text-end`: the call that the text leads to. */
  toolCallId?: string
  /** On `text-end`: the run stopped in the middle of this text. */
  state?: 'aborted'
  /** On `tool-output-available`: data for the user interface in addition to the output (at most 64 KiB as JSON). */
  details?: unknown
  /** On a result: how many milliseconds it waited for its turn. The call ended that much earlier. */
  waited?: number
  /** On `tool-output-error`: why the call ended without an answer from a tool. */
  settledBy?: SettledBy
  /** On `tool-approval-request`: lets the server recognize its own question. */
  signature?: string
  /** On `tool-approval-request`: what a person needs to know in addition to the call. */
  facts?: ApprovalFacts
  /** On a result, for a client that has no other place for it: the question and its answer. */
  approval?: ToolApproval
  /** On `tool-input-error` and `tool-output-error`: what went wrong, and where in the model's text. */
  code?: ErrorCode
  offset?: number
  /** On `tool-input-available`: what was repaired to make the text readable. */
  repaired?: string[]
  /** On `tool-input-available`, `tool-output-available` and `tool-output-error`: a block's additional fields. */
  extra?: Record<string, unknown>
  /** On `tool-input-available`: the id that the model gave the call, if it came too late to be its `toolCallId`. */
  modelId?: string
  /**
   * On the chunks of a call's input: the id that the provider or the model gave it. It is sent back to the provider.
   */
  callId?: string
  /** On `tool-input-available` and `tool-input-error`: the detected dialect, if the syntax reads several. */
  dialect?: string
  /** On `tool-input-available`: the call is inside the model's reasoning, which was never closed. */
  inReasoning?: true
}

/** A chunk with its position in a run. Duplicates are dropped, and chunks that come too early are held back. */
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

export function argotMetadata(chunk: object): ArgotMetadata | undefined {
  const metadata = (chunk as { providerMetadata?: unknown }).providerMetadata
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, 'argot')) return undefined
  const own = (metadata as ProviderMetadata).argot
  return typeof own === 'object' && own !== null ? (own as ArgotMetadata) : undefined
}

export function withArgotMetadata(base: ProviderMetadata | undefined, argot: ArgotMetadata): ProviderMetadata {
  return { ...base, argot: { ...base?.argot, ...argot } }
}
