export type {
  ChatDynamicToolInvocation,
  ChatDynamicToolMessagePart,
  ChatKnownToolName,
  ChatRegisteredToolName,
  ChatToolInput,
  ChatToolInvocation,
  ChatToolMessagePart,
  ChatToolOutput,
} from 'argot'
export type * from './chat-adapter.ts'
export type * from './chat-callbacks.ts'
export type * from './chat-message.ts'
export type * from './chat-part-renderer.ts'
export type * from './chat-stream.ts'
export type * from './tool-definition-map.ts'
export type * from './tool-presentation.ts'
