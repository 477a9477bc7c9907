/**
 * The module that an application augments:
 * `declare module '@argot/react/types' { interface ChatToolDefinitionMap { … } }`.
 */
export type * from '@argot/core/types'
export type {
  ChatError,
  ChatOnData,
  ChatOnError,
  ChatOnFinish,
  ChatOnFinishPayload,
  ChatOnToolCall,
  ChatOnToolCallPayload,
} from './chat-callbacks.ts'
export type { ChatMessageInput, ChatMessagePart, ChatRole } from './chat-message.ts'
export type { ChatPartRenderer, ChatPartRendererMap, ChatPartRendererProps } from './chat-part-renderer.ts'
export type {
  DefaultExpanded,
  ToolPresentation,
  ToolPresentationMap,
} from './tool-presentation.ts'
