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

/** What may change while a store lives. */
export interface ChatStoreHandlers {
  adapter: ChatAdapter
  onToolCall?: ChatOnToolCall | undefined
  onData?: ChatOnData | undefined
  onFinish?: ChatOnFinish | undefined
  onError?: ChatOnError | undefined
  /**
   * Shows another branch of the conversation: one that was just made with these wishes, or one that the reader chose. Without
   * it, the adapter and this store go there.
   */
  onBranch?:
    | ((branch: { conversationId: string; isNew: boolean; model?: string; syntax?: string }) => unknown)
    | undefined
  /** Called when a person says what they think of an answer. `none`: they take it back. */
  onFeedback?: ((feedback: { message: ChatMessage; value: 'good' | 'bad' | 'none' }) => unknown) | undefined
}

export interface ChatStoreOptions extends ChatStoreHandlers {
  initialMessages?: readonly ChatMessageInput[] | undefined
  /** Passed to the adapter; the queue of messages survives a reload where it is given. */
  conversationId?: string | undefined
  /** Milliseconds between two drawings of what streams in; one frame by default. */
  streamFlushInterval?: number | undefined
  queueStorage?: QueueStorage | undefined
  now?: (() => number) | undefined
  nextId?: (() => string) | undefined
}

/** `submitted`: sent, and nothing came yet. */
export type ChatStatus = 'ready' | 'submitted' | 'streaming'

/** A connection that broke while a run was on. */
export interface LostConnection {
  /** Milliseconds since 1970: what is on the page is from then. */
  since: number
  /** When it is tried again. */
  retryAt: number
  /** How often it was tried without an answer. */
  tries: number
}

/** What is sent: a text, or parts. */
export interface SendInput {
  text?: string | undefined
  parts?: ChatMessageInput['parts'] | undefined
  attachments?: readonly ChatDraftAttachment[] | undefined
  metadata?: Record<string, unknown> | undefined
}
