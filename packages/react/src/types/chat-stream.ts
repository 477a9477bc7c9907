import type { Chunk } from 'argot'

type Other = Exclude<Chunk, { type: 'tool-input-error' | 'source-document' | 'tool-approval-request' }>

/** What an adapter's stream is made of: every chunk of Argot, also as servers for MUI X Chat write it. */
export type ChatMessageChunk =
  | Other
  | {
      type: 'tool-input-error'
      toolCallId: string
      errorText: string
      toolName?: string
      input?: unknown
      dynamic?: boolean
    }
  | {
      type: 'tool-approval-request'
      approvalId?: string
      toolCallId: string
      toolName?: string
      input?: unknown
      dynamic?: boolean
    }
  | { type: 'source-document'; sourceId: string; mediaType?: string; title?: string; text?: string; filename?: string }

/** A chunk with its place in the run: duplicates are dropped, and what comes too early is held back. */
export interface ChatStreamEnvelope {
  eventId?: string
  sequence?: number
  chunk: ChatMessageChunk
}

/** What `sendMessage` and `reconnectToStream` of an adapter give. */
export type ChatStream = ReadableStream<ChatMessageChunk | ChatStreamEnvelope>
