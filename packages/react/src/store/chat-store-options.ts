import type {
  ChatAdapter,
  ChatDraftAttachment,
  ChatMessage,
  ChatMessageInput,
  ChatOnData,
  ChatOnError,
  ChatOnFinish,
  ChatOnToolCall,
} from '../types/index.ts'
import type { QueueStorage } from './run/send-queue.ts'

/** The options that may change while a store lives. */
export interface ChatStoreHandlers {
  adapter: ChatAdapter
  onToolCall?: ChatOnToolCall | undefined
  onData?: ChatOnData | undefined
  onFinish?: ChatOnFinish | undefined
  onError?: ChatOnError | undefined
  /**
   * Shows another branch of the conversation: one that was just made with these settings, or one that the reader chose.
   * Without it, the adapter and this store switch to the branch.
   */
  onBranch?:
    | ((branch: { conversationId: string; isNew: boolean; model?: string; syntax?: string }) => unknown)
    | undefined
  /** Called when a person rates an answer. `none`: they take the rating back. */
  onFeedback?: ((feedback: { message: ChatMessage; value: 'good' | 'bad' | 'none' }) => unknown) | undefined
}

export interface ChatStoreOptions extends ChatStoreHandlers {
  initialMessages?: readonly ChatMessageInput[] | undefined
  /** Passed to the adapter. If it is set, the message queue survives a reload. */
  conversationId?: string | undefined
  /** Milliseconds between two updates of streaming content; one frame by default. */
  streamFlushInterval?: number | undefined
  queueStorage?: QueueStorage | undefined
  now?: (() => number) | undefined
  nextId?: (() => string) | undefined
}

/** `submitted`: sent, but nothing has arrived yet. */
export type ChatStatus = 'ready' | 'submitted' | 'streaming'

/** A connection that broke during a run. */
export interface LostConnection {
  /** Milliseconds since 1970: the page's content is from then. */
  since: number
  /** Milliseconds since 1970. */
  retryAt: number
  /** How many tries got no answer. */
  tries: number
}

/** The message to send: a text, or parts. */
export interface SendInput {
  text?: string | undefined
  parts?: ChatMessageInput['parts'] | undefined
  attachments?: readonly ChatDraftAttachment[] | undefined
  metadata?: Record<string, unknown> | undefined
}
