import type { ApprovalDecision } from '../message/approval-answer.ts'
import type { ChatMessage } from '../message/message.ts'
import type { Chunk, Envelope } from './chunk.ts'
import type { ChatTurnChanges, ChatTurnUndo } from './turn-changes.ts'

/** What an adapter gives: the chunks of the answer, with or without envelopes. */
export type ChatStream = ReadableStream<Chunk | Envelope>

/** A file that is sent with a message. Its data is also a part of the message. */
export interface ChatDraftAttachment {
  localId: string
  file: File
}

export interface ChatSendMessageInput {
  conversationId?: string
  /** The message that was just sent; it is the last of `messages`. */
  message: ChatMessage
  messages: ChatMessage[]
  attachments?: ChatDraftAttachment[]
  metadata?: Record<string, unknown>
  /**
   * The sender reads the stream that an answer gives, and takes back the parts of a step that was interrupted. For others, MUI X
   * Chat for example, the first stream stays open, and ends if something that it gave is taken back.
   */
  readsAnswers?: boolean
  signal: AbortSignal
}

export interface ChatRegenerateInput {
  conversationId?: string
  /** The answer that is made again; it is not in `messages` any more. */
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

/** A person's answer to an approval. */
export interface ChatAddToolApproveResponseInput extends ApprovalDecision {
  /** The id of the approval. */
  id: string
  toolCallId?: string
  /** The conversation with this answer in it, for servers that keep none. */
  messages?: ChatMessage[]
  signal?: AbortSignal
}

/** The output of a tool that runs on the page. */
export interface ChatAddToolOutputInput {
  toolCallId: string
  output: unknown
  toolName?: string
  /** The conversation with this output in it. */
  messages?: ChatMessage[]
  signal?: AbortSignal
}

/** What a call that waits for an answer would do to the files as they are now. */
export interface ChatApprovalCheck {
  /** `applies`: what its question shows. `changed`: something else. `fails`: nothing. `unknown`: nobody knows. */
  state: 'applies' | 'changed' | 'fails' | 'unknown'
  /** Milliseconds since 1970. */
  at: number
  /** Why it would fail, in a sentence. */
  problem?: string
  /** What would change, in the unified format. */
  diff?: string
}

/**
 * Where a chat gets its answers. The names are those of MUI X Chat, so that one object serves both; only `sendMessage`
 * is needed.
 */
export interface ChatAdapter<Cursor = string> {
  sendMessage(input: ChatSendMessageInput): Promise<ChatStream> | ChatStream
  /** Makes an answer again; without it the message is sent again. */
  regenerate?(input: ChatRegenerateInput): Promise<ChatStream> | ChatStream
  /** The rest of a stream that was cut off, or null where there is none. */
  reconnectToStream?(input: ChatReconnectToStreamInput): Promise<ChatStream | null>
  listMessages?(input: ChatListMessagesInput<Cursor>): Promise<ChatListMessagesResult<Cursor>>
  /**
   * Passes a person's answer on. The run continues in the stream that is open, or in the one that this gives. A rejection
   * with `status` 409 says that somebody else answered first; its `approval` is that answer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: adapters of MUI X Chat resolve to nothing
  addToolApprovalResponse?(input: ChatAddToolApproveResponseInput): Promise<ChatStream | undefined | void>
  /** Checks a waiting call against the files as they are now; `id` is that of the approval. */
  checkApproval?(input: { id: string; signal?: AbortSignal }): Promise<ChatApprovalCheck | undefined>
  /** Passes the output of a tool on that ran on the page. The run continues as after an approval. */
  // biome-ignore lint/suspicious/noConfusingVoidType: as above
  addToolOutput?(input: ChatAddToolOutputInput): Promise<ChatStream | undefined | void>
  /**
   * Sends a message to the run that is on. It joins at the run's next step, and comes in the stream that is open; if the run ends
   * before that, another run answers it. Without it, messages wait until the run is over.
   */
  steer?(input: Pick<ChatSendMessageInput, 'conversationId' | 'message'>): Promise<unknown>
  /** What the turn that ends with this message changed. Without it a chat shows what its calls say. */
  readChanges?(input: { messageId: string; signal?: AbortSignal }): Promise<ChatTurnChanges | undefined>
  /** Gives the files of that turn what they had before it. Without it there is no "Undo turn". */
  undoTurn?(input: { messageId: string }): Promise<ChatTurnUndo>
  stop?(): void
  /**
   * Makes a conversation with the history before a message, and starts a run in it: with `message` in its place, or with the
   * question before an answer asked again. This conversation stays unchanged. Gives the other one's id.
   */
  branch?(input: {
    before: ChatMessage
    message?: ChatMessage | undefined
    messages: ChatMessage[]
    model?: string | undefined
    syntax?: string | undefined
  }): Promise<string>
  /**
   * Where this conversation and its branches continue differently: by the first message here that differs, the ids of all
   * conversations, with this one at the place `current`.
   */
  listBranches?(): Promise<{ messageId?: string; conversations: string[]; current: number }[]>
  /** From now on the adapter is about this conversation. Without it, the page has to show another branch itself. */
  openBranch?(conversationId: string): void
  /** What another try can be made with. */
  listModels?(): Promise<{ models: { name: string; title: string }[]; syntaxes: string[] }>
  /** Keeps what a person thinks of an answer; `none` takes it back. */
  giveFeedback?(input: { message: ChatMessage; value: 'good' | 'bad' | 'none'; reason?: string }): Promise<unknown>
}
