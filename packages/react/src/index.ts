import '#load-all'

export { aiSdkAdapter } from './adapters/ai-sdk-adapter.ts'
export { argotServerAdapter, type RunWishes } from './adapters/argot-server-adapter.ts'
export { type Answer, functionAdapter } from './adapters/function-adapter.ts'
export { type ReplayAdapter, ReplayPlayer, replayAdapter } from './adapters/replay-adapter.ts'
export { sharedServerEvents } from './adapters/shared-server-events.ts'
export { copyText } from './bodies/copy-text.ts'
export { Diff } from './bodies/diff/diff.tsx'
export { Markdown } from './bodies/markdown/markdown.tsx'
export { OpenSourceContext } from './bodies/open-source-context.ts'
export { OutputBody } from './bodies/output-body.tsx'
export { ReasoningLine } from './bodies/reasoning-line.tsx'
export type { ToolPartProps } from './box/box-options.ts'
export { ChatBox, type ChatBoxFind, type ChatBoxProps } from './box/chat-box.tsx'
export { ChatMessageContent } from './box/chat-message-content.tsx'
export { ChatProvider, type ChatProviderProps } from './box/chat-provider.tsx'
export { ModelPicker } from './box/pickers/model-picker.tsx'
export { ThreadList } from './box/pickers/thread-list.tsx'
export { SourceContent } from './box/source-content.tsx'
export { Suggestions } from './box/suggestions.tsx'
export { useTitleMark } from './box/use-title-mark.ts'
export { useChatStore } from './hooks/chat-context.ts'
export {
  type Chat,
  useChat,
  useChatActions,
  useMessageIds,
  usePendingCalls,
} from './hooks/use-chat.ts'
export { useChatPartRenderer } from './hooks/use-chat-part-renderer.ts'
export { useClock } from './hooks/use-clock.ts'
export { useMessage, useMessageHead, usePart, usePartCount } from './hooks/use-message.ts'
export { type ToolCallView, useToolCall } from './hooks/use-tool-call.ts'
export { LocaleContext } from './locale/card-locale.ts'
export type { ChatLocale } from './locale/chat-locale.ts'
export { englishChat } from './locale/english-chat.ts'
export { BranchPicker } from './parts/branch-picker.tsx'
export { InlineToolWidget } from './parts/inline-tool-widget.tsx'
export { CallList } from './parts/run/call-list.tsx'
export { RunLine } from './parts/run/run-line.tsx'
export type { SubRun } from './parts/sub-run.ts'
export { ToolCard } from './parts/tool-card.tsx'
export type { ChatEvent } from './store/chat-event.ts'
export { ChatStore } from './store/chat-store.ts'
export type { PendingCall } from './store/conversation.ts'
export type {
  ChatAdapter,
  ChatError,
  ChatMessage,
  ChatMessagePart,
  ChatPartRendererMap,
  ChatPartRendererProps,
  ChatToolInvocation,
  ToolPresentationMap,
} from './types/index.ts'
