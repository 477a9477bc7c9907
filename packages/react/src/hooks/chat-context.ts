import { type Context, createContext, useContext } from 'react'
import type { ChatStore } from '../store/chat-store.ts'
import type { ChatPartRendererMap, ToolPresentationMap } from '../types/index.ts'

export interface ChatContextValue {
  store: ChatStore
  partRenderers: ChatPartRendererMap
  toolPresentation: ToolPresentationMap | undefined
  /** `external`: the page asks in its own dialog. */
  approvals: 'cards' | 'external'
}

export const ChatContext: Context<ChatContextValue | undefined> = createContext<ChatContextValue | undefined>(undefined)

/** The chat around this component; undefined for a standalone component. */
export function useOptionalChat(): ChatContextValue | undefined {
  return useContext(ChatContext)
}

/** The store of the chat around this component. Throws if there is none. */
export function useChatStore(): ChatStore {
  const context = useContext(ChatContext)
  if (context === undefined) throw new Error('This component must be inside a <ChatProvider> or a <ChatBox>.')
  return context.store
}
