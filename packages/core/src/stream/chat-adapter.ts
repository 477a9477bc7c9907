import type { ApprovalDecision } from '../message/approval-answer.ts'
import type { ChatMessage } from '../message/message.ts'
import type { Chunk, Envelope } from './chunk.ts'
import type { ChatTurnChanges, ChatTurnUndo } from './turn-changes.ts'

/** The chunks of the answer, with or without envelopes. */
export type ChatStream = ReadableStream<Chunk | Envelope>

/** A file that is sent with a message. Its data is also in a part of the message. */
export interface ChatDraftAttachment {
  localId: string
  file: File
}

export interface ChatSendMessageInput {
  conversationId?: string
  /** The last of `messages`. */
  message: ChatMessage
  messages: ChatMessage[]
  attachments?: ChatDraftAttachment[]
  metadata?: Record<string, unknown>
  /**
   * The client reads the stream that an answer returns, and can take back the parts of an interrupted step. For other
   * clients, such as MUI X Chat, the first stream stays open, and ends if something it sent is taken back.
   */
  readsAnswers?: boolean
  signal: AbortSignal
}

export interface ChatRegenerateInput {
  conversationId?: string
  /** The answer to regenerate. It is no longer in `messages`. */
  messageId: string
  message: ChatMessage
  messages: ChatMessage[]
  /** As in `ChatSendMessageInput`. */
  readsAnswers?: boolean
  signal: AbortSignal
}

export interface ChatReconnectToStreamInput {
  conversationId?: string
  messageId?: string
  /** As in `ChatSendMessageInput`. */
  readsAnswers?: boolean
  signal: AbortSignal
}

export interface ChatListMessagesInput<Cursor = string> {
  conversationId: string
  cursor?: Cursor
  direction?: 'forward' | 'backward'
}

export interface ChatListMessagesResult<Cursor = string> {
  messages: ChatMessage[]
  cursor?: Cursor
  hasMore?: boolean
}

/** A person's answer to an approval request. */
export interface ChatAddToolApproveResponseInput extends ApprovalDecision {
  /** The approval's id. */
  id: string
  toolCallId?: string
  /** The conversation including this answer, for servers that store none. */
  messages?: ChatMessage[]
  signal?: AbortSignal
}

/** The output of a tool that runs in the page. */
export interface ChatAddToolOutputInput {
  toolCallId: string
  output: unknown
  toolName?: string
  /** The conversation including this output. */
  messages?: ChatMessage[]
  signal?: AbortSignal
}

/** What a waiting call would do to the files now. */
export interface ChatApprovalCheck {
  /**
   * `applies`: what its question shows. `changed`: something else. `fails`: nothing. `unknown`: this can't be checked.
   */
  state: 'applies' | 'changed' | 'fails' | 'unknown'
  /** Milliseconds since 1970. */
  at: number
  /** Why it would fail, as a sentence. */
  problem?: string
  diff?: string
}

/**
 * Where a chat gets its answers. The names are those of MUI X Chat, so one object works with both. Only `sendMessage`
 * is required.
 */
export interface ChatAdapter<Cursor = string> {
  sendMessage(input: ChatSendMessageInput): Promise<ChatStream> | ChatStream
  /** Regenerates an answer. Without it, the message is sent again. */
  regenerate?(input: ChatRegenerateInput): Promise<ChatStream> | ChatStream
  /** The rest of an interrupted stream, or null if there is none. */
  reconnectToStream?(input: ChatReconnectToStreamInput): Promise<ChatStream | null>
  listMessages?(input: ChatListMessagesInput<Cursor>): Promise<ChatListMessagesResult<Cursor>>
  /**
   * Sends a person's answer. The run continues in the open stream, or in the stream that this returns. A rejection with
   * `status` 409 means that someone else answered first; its `approval` is their answer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: adapters of MUI X Chat resolve to nothing
  addToolApprovalResponse?(input: ChatAddToolApproveResponseInput): Promise<ChatStream | undefined | void>
  /** Checks a waiting call against the current files; `id` is the approval's id. */
  checkApproval?(input: { id: string; signal?: AbortSignal }): Promise<ChatApprovalCheck | undefined>
  /** Sends the output of a tool that ran in the page. The run continues as after an approval. */
  // biome-ignore lint/suspicious/noConfusingVoidType: as above
  addToolOutput?(input: ChatAddToolOutputInput): Promise<ChatStream | undefined | void>
  /**
   * Sends a message to the active run. It joins at the run's next step and appears in the open stream. If the run ends
   * first, another run answers it. Without this method, messages wait until the run ends.
   */
  steer?(input: Pick<ChatSendMessageInput, 'conversationId' | 'message'>): Promise<unknown>
  /** What the turn that ends with this message changed. Without it, a chat shows what its calls report. */
  readChanges?(input: { messageId: string; signal?: AbortSignal }): Promise<ChatTurnChanges | undefined>
  /** Restores the files to their state before that turn. Without it, there is no "Undo turn". */
  undoTurn?(input: { messageId: string }): Promise<ChatTurnUndo>
  stop?(): void
  /**
   * Creates a conversation with the history before a message and starts a run in it: with `message` in its place, or by
   * asking the question before an answer again. The current conversation stays unchanged. Returns the new
   * conversation's id.
   */
  branch?(input: {
    before: ChatMessage
    message?: ChatMessage | undefined
    messages: ChatMessage[]
    model?: string | undefined
    syntax?: string | undefined
  }): Promise<string>
  /**
   * Where this conversation and its branches differ. Each entry has the first message here that differs and the ids of
   * all conversations; `current` is the index of this one.
   */
  listBranches?(): Promise<{ messageId?: string; conversations: string[]; current: number }[]>
  /** Switches the adapter to this conversation. Without it, the page has to show other branches itself. */
  openBranch?(conversationId: string): void
  /** The models and syntaxes available for another try. */
  listModels?(): Promise<{ models: { name: string; title: string }[]; syntaxes: string[] }>
  /** Stores a person's rating of an answer; `none` removes it. */
  giveFeedback?(input: { message: ChatMessage; value: 'good' | 'bad' | 'none'; reason?: string }): Promise<unknown>
}
