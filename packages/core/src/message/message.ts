import type { ReadToolInvocation } from './read-tool-invocation.ts'
import type { ProviderMetadata, ToolInvocation } from './tool-invocation.ts'
import type { ChatDynamicToolInvocation, ChatKnownToolName, ChatToolInvocation } from './tool-types.ts'

/** `tool` occurs only in documents: a tool response without its own element. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

export type MessageStatus = 'streaming' | 'sent' | 'cancelled' | 'error'

/** Why a model stopped. AI SDK clients reject any other word. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/**
 * A text's purpose. `pending`: not decided yet. `commentary`: leads to a call (or follows the last one of a step that
 * continues). `final`: the answer. `remainder`: text beyond the call limit, stored but never shown.
 */
export type TextPhase = 'pending' | 'commentary' | 'final' | 'remainder'

/** `aborted`: the run stopped in the middle; the text so far is kept. */
export type TextState = 'streaming' | 'done' | 'aborted'

export interface TextPart {
  type: 'text'
  id: string
  text: string
  state: TextState
  phase?: TextPhase
  toolCallId?: string
  /** In a system message: the value of a parameter. It contains no placeholder for the tools. */
  literal?: true
  providerMetadata?: ProviderMetadata
}

export interface ReasoningPart {
  type: 'reasoning'
  id: string
  text: string
  state: TextState
  providerMetadata?: ProviderMetadata
}

/** A part with a call as applications may write it. In a message that was read, calls have keys. */
export interface ChatToolMessagePart<Name extends ChatKnownToolName = ChatKnownToolName> {
  type: 'tool'
  toolInvocation: ChatToolInvocation<Name>
}

export interface ChatDynamicToolMessagePart<Name extends string = string> {
  type: 'dynamic-tool'
  toolInvocation: ChatDynamicToolInvocation<Name>
}

interface ReadToolPart extends ChatToolMessagePart {
  toolInvocation: ReadToolInvocation
}

interface ReadDynamicToolPart extends ChatDynamicToolMessagePart {
  toolInvocation: ToolInvocation
}

export interface StepStartPart {
  type: 'step-start'
}

export interface SourceUrlPart {
  type: 'source-url'
  sourceId: string
  url: string
  title?: string
  providerMetadata?: ProviderMetadata
}

export interface SourceDocumentPart {
  type: 'source-document'
  sourceId: string
  mediaType: string
  title: string
  filename?: string
  providerMetadata?: ProviderMetadata
}

export interface FilePart {
  type: 'file'
  mediaType: string
  url: string
  filename?: string
  providerMetadata?: ProviderMetadata
}

/** A `data-*` chunk with the id of an earlier one of its type replaces that one's data. */
export interface DataPart {
  type: `data-${string}`
  id?: string
  data: unknown
}

export type MessagePart =
  | TextPart
  | ReasoningPart
  | ReadToolPart
  | ReadDynamicToolPart
  | StepStartPart
  | SourceUrlPart
  | SourceDocumentPart
  | FilePart
  | DataPart

export type ToolPart = ReadToolPart | ReadDynamicToolPart

/**
 * One message of a conversation. The parts are in the order in which the model wrote them, so the message can be sent
 * to a model again unchanged.
 */
export interface Message {
  id: string
  role: Role
  status: MessageStatus
  parts: readonly MessagePart[]
  metadata?: Record<string, unknown>
  /** ISO 8601. */
  createdAt?: string
  finishReason?: FinishReason
  /** Why the run failed (`status` is `error`) or was stopped (`cancelled`). */
  errorText?: string
}

/** The message under the name that chat components use. */
export type ChatMessage = Message

export function isToolPart(part: MessagePart): part is ToolPart {
  return part.type === 'tool' || part.type === 'dynamic-tool'
}

export function isDataPart(part: MessagePart): part is DataPart {
  return part.type.startsWith('data-')
}

/** A message's calls in the order in which they were made. */
export function toolCalls(message: Pick<Message, 'parts'>): ToolInvocation[] {
  return message.parts.filter(isToolPart).map(part => part.toolInvocation)
}
