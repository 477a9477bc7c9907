/**
 * The types of chats and of their tools, for components and for applications that register their tools. What can be
 * augmented is exported by a star: an augmentation of this module, or of one that passes it on by a star, reaches it.
 */

export type { ChatDynamicToolMessagePart, ChatMessage, ChatToolMessagePart } from './message/message.ts'
export type { ChatOnToolCallPayload, ChatUnregisteredToolName } from './message/tool-payload.ts'
export type * from './message/tool-types.ts'
export type * from './stream/chat-adapter.ts'
export type { FlatChatMessage, FlatToolCall, ToolActivity } from './stream/flat/flat-chat-message.ts'
export type { StoredChatMessage } from './stream/flat/stored-message.ts'
