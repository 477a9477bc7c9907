/**
 * Types for chats and their tools, for components and for applications that register tools. Types that can be augmented
 * are exported with `*`: an augmentation of this module, or of one that re-exports it with `*`, reaches them.
 */

export type { ChatDynamicToolMessagePart, ChatMessage, ChatToolMessagePart } from './message/message.ts'
export type { ChatOnToolCallPayload, ChatUnregisteredToolName } from './message/tool-payload.ts'
export type * from './message/tool-types.ts'
export type * from './stream/chat-adapter.ts'
export type { FlatChatMessage, FlatToolCall, ToolActivity } from './stream/flat/flat-chat-message.ts'
export type { StoredChatMessage } from './stream/flat/stored-message.ts'
