import type { ChatMessage, ChatMessageInput } from './chat-message.ts'
import type { ChatStream } from './chat-stream.ts'

/** A file that the composer sends with a message. */
export interface ChatDraftAttachment {
  localId: string
  file: File
}

export interface ChatSendMessageInput {
  conversationId?: string
  message: ChatMessage
  /** The whole conversation, `message` included. */
  messages: ChatMessage[]
  attachments?: ChatDraftAttachment[]
  metadata?: Record<string, unknown>
  signal: AbortSignal
}

export interface ChatRegenerateInput {
  conversationId?: string
  /** The answer that is made again; it is no longer in `messages`. */
  messageId: string
  /** The message that it answered. */
  message: ChatMessage
  messages: ChatMessage[]
  signal: AbortSignal
}

export interface ChatReconnectToStreamInput {
  conversationId?: string
  /** The message that was streaming, where that is known. */
  messageId?: string
  signal: AbortSignal
}

/** The answer to an approval. MUI X Chat's adapters read the first three fields. */
export interface ChatAddToolApproveResponseInput {
  /** The id of the approval: `approvalId` of its request, else the id of the call. */
  id: string
  approved: boolean
  reason?: string
  /** The input as the person edited it. */
  input?: unknown
  /** It holds for every later call of this tool in the run. */
  always?: boolean
  toolCallId?: string
  /** The conversation with this answer in it. */
  messages?: ChatMessage[]
  signal?: AbortSignal
}

/** The result of a tool that the page itself runs, such as a question to the person. */
export interface ChatAddToolOutputInput {
  toolCallId: string
  output: unknown
  toolName?: string
  messages?: ChatMessage[]
  signal?: AbortSignal
}

export interface ChatListMessagesInput {
  conversationId: string
  cursor?: string
  direction?: 'forward' | 'backward'
}

export interface ChatListMessagesResult {
  messages: readonly ChatMessageInput[]
  cursor?: string
  hasMore?: boolean
}

/**
 * What a chat needs of a backend. Its methods have the names and the inputs of MUI X Chat's adapter, so one object
 * serves both. Methods may reject; the store makes an error of that.
 */
export interface ChatAdapter {
  /** Sends the conversation and gives the stream of the answer. */
  sendMessage(input: ChatSendMessageInput): Promise<ChatStream> | ChatStream
  /** Makes an answer again; `sendMessage` is called where this is missing. */
  regenerate?(input: ChatRegenerateInput): Promise<ChatStream> | ChatStream
  /** The stream of a run that is still under way, or null. Called when a provider mounts and after a lost connection. */
  reconnectToStream?(input: ChatReconnectToStreamInput): Promise<ChatStream | null>
  /**
   * Passes the answer to an approval on. The run continues in the stream that is open or in the one that this gives. A
   * rejection with `status` 409 says that somebody else answered first; its `approval` is that answer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: adapters of MUI X Chat resolve to nothing
  addToolApprovalResponse?(input: ChatAddToolApproveResponseInput): Promise<ChatStream | undefined | void>
  /** Passes the output of a tool on that the page ran. The run continues as after an approval. */
  // biome-ignore lint/suspicious/noConfusingVoidType: as above
  addToolOutput?(input: ChatAddToolOutputInput): Promise<ChatStream | undefined | void>
  listMessages?(input: ChatListMessagesInput): Promise<ChatListMessagesResult>
  /** Stops the run where closing its stream does not. */
  stop?(): void
}
