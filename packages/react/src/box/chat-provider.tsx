import { type ReactElement, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { type Fences, FencesContext } from '../bodies/markdown/fences.ts'
import { CallsContext, type CallsInChat } from '../hooks/calls-context.ts'
import { ChatContext, type ChatContextValue } from '../hooks/chat-context.ts'
import { useCallInChat } from '../hooks/use-call-in-chat.ts'
import { useGoneSince } from '../hooks/use-gone-since.ts'
import { useQuestionsInside } from '../hooks/use-questions-inside.ts'
import { useSubRun } from '../hooks/use-sub-run.ts'
import { LocaleContext } from '../locale/card-locale.ts'
import type { ChatLocale } from '../locale/chat-locale.ts'
import { ChatStore } from '../store/chat-store.ts'
import type { ChatStoreOptions } from '../store/chat-store-options.ts'
import type { ChatPartRendererMap, ToolPresentationMap } from '../types/index.ts'

export interface ChatProviderProps extends ChatStoreOptions {
  /** The page's own store, which then outlives the provider. It has the adapter and the callbacks below. */
  store?: ChatStore | undefined
  partRenderers?: ChatPartRendererMap | undefined
  toolPresentation?: ToolPresentationMap | undefined
  /**
   * Draws Markdown fences by language, such as `mermaid`; `math` also draws `$$` blocks. Pass the same object each
   * time.
   */
  fences?: Fences | undefined
  /** `external`: you ask in your own dialog. Calls still wait, and their rows say so, but no card has buttons. */
  approvals?: 'cards' | 'external' | undefined
  /** By default that of the provider around it, or English. */
  locale?: ChatLocale | undefined
  children?: ReactNode
}

const callsInChat: CallsInChat = {
  useCall: useCallInChat,
  useSurroundings: (scope, toolCallId) => {
    const sub = useSubRun(scope, toolCallId)
    return { sub, questions: useQuestionsInside(sub?.key), goneSince: useGoneSince() }
  },
}

const noRenderers: ChatPartRendererMap = {}

/** Gives everything below it one conversation, answered by an adapter. */
export function ChatProvider(props: ChatProviderProps): ReactElement {
  const { adapter, onToolCall, onData, onFinish, onError, onBranch, onFeedback } = props
  const { partRenderers = noRenderers, toolPresentation, approvals = 'cards', fences, locale, children } = props
  const around = useContext(LocaleContext)
  const [own] = useState(() => props.store ?? new ChatStore(props))
  const store = props.store ?? own
  useEffect(() => {
    store.update({ adapter, onToolCall, onData, onFinish, onError, onBranch, onFeedback })
  }, [store, adapter, onToolCall, onData, onFinish, onError, onBranch, onFeedback])
  useEffect(() => {
    void store.join()
  }, [store])
  const value: ChatContextValue = useMemo(
    () => ({ store, partRenderers, toolPresentation, approvals }),
    [store, partRenderers, toolPresentation, approvals],
  )
  return (
    <LocaleContext.Provider value={locale ?? around}>
      <ChatContext.Provider value={value}>
        <FencesContext.Provider value={fences}>
          <CallsContext.Provider value={callsInChat}>{children}</CallsContext.Provider>
        </FencesContext.Provider>
      </ChatContext.Provider>
    </LocaleContext.Provider>
  )
}
