import { type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { ComponentChunk, FromChunk } from '../bodies/component-chunk.tsx'
import { CopyButton } from '../bodies/copy-button.tsx'
import { preloadMarkdown } from '../bodies/markdown/markdown.tsx'
import { type OpenedSource, OpenSourceContext } from '../bodies/open-source-context.ts'
import { AnnouncedContext } from '../hooks/calls-context.ts'
import { ChatContext, useChatStore, useOptionalChat } from '../hooks/chat-context.ts'
import { useMessageIds, usePendingCalls } from '../hooks/use-chat.ts'
import { useValue } from '../hooks/use-value.ts'
import { useLocale } from '../locale/frame-locale.ts'
import { preloadParts } from '../parts/lazy-parts.ts'
import type { Density } from '../types/density.ts'
import type { ChatAdapter } from '../types/index.ts'
import { ActionsContext, type AnswerAction, allActions } from './actions/answer-action.ts'
import { actionBar } from './actions/answer-actions.tsx'
import { Announcer } from './announcer.tsx'
import type { ApprovalsBarProps } from './approvals-bar.tsx'
import { type BoxOptions, BoxOptionsContext, type ToolPartProps } from './box-options.ts'
import { widgetTurn } from './chat-message-content.tsx'
import { ChatProvider, type ChatProviderProps } from './chat-provider.tsx'
import { Composer, type ComposerOptions } from './composer/composer.tsx'
import type { EditingBarProps } from './composer/editing-bar.tsx'
import type { QueueListProps } from './composer/queue-list.tsx'
import { conversationText } from './conversation-text.ts'
import type { FindBarProps } from './find/find-bar.tsx'
import { ChatLog, type ChatLogHandle } from './log/chat-log.tsx'
import { LostBar } from './lost-bar.tsx'
import type { SourcePaneProps } from './source-pane.tsx'
import { type Suggestion, Suggestions } from './suggestions.tsx'
import { useBoxKeys } from './use-box-keys.ts'

export interface ChatBoxSlotProps {
  messageContent?: { partProps?: { tool?: ToolPartProps | undefined } | undefined } | undefined
  composer?: ComposerOptions | undefined
}

/** Whether the search in the conversation is open, if the page controls that. */
export interface ChatBoxFind {
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

export interface ChatBoxProps extends Omit<ChatProviderProps, 'adapter' | 'children'> {
  /** May be left out inside a `ChatProvider`. */
  adapter?: ChatAdapter | undefined
  slotProps?: ChatBoxSlotProps | undefined
  /** Each call as a card (the default), or all calls of a message behind one line. */
  toolDisplay?: 'cards' | 'widget' | undefined
  /** Shown while there is no message: texts that can be sent with a click. */
  suggestions?: readonly Suggestion[] | undefined
  /** Shown below the suggestions while there is no message. */
  emptyNote?: ReactNode
  /** Shown in a bar above the composer, such as the server's status. */
  notice?: ReactNode
  /**
   * The actions on a finished answer, in order; all by default, none with an empty list. An object is your own action.
   */
  actions?: readonly AnswerAction[] | undefined
  /** For a page with its own control for the search: the box then shows no controls below the composer. */
  find?: ChatBoxFind | undefined
  /** Shows something long in the page's own pane. Without it, a pane opens over the chat. */
  onOpenSource?: ((source: OpenedSource) => void) | undefined
  /** `compact` for a side pane or a tool: lower rows, smaller texts and gaps. */
  density?: Density | undefined
  className?: string | undefined
}

/** A complete chat: log, approvals, queue and composer. With an adapter, it brings its own provider. */
export function ChatBox({ adapter, ...props }: ChatBoxProps): ReactNode {
  const outer = useContext(ChatContext)
  if (adapter === undefined && outer !== undefined) return <Box {...props} />
  if (adapter === undefined) throw new Error('<ChatBox> needs an `adapter`, or a <ChatProvider> around it.')
  return (
    <ChatProvider adapter={adapter} {...props}>
      <Box {...props} />
    </ChatProvider>
  )
}

function Box({
  slotProps,
  toolDisplay = 'cards',
  suggestions = [],
  emptyNote,
  notice,
  actions = allActions,
  find,
  onOpenSource,
  density,
  className,
}: Omit<ChatBoxProps, 'adapter'>): ReactNode {
  const log = useRef<ChatLogHandle>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const own = useState(false)
  const [isFinding, setFinding] = find === undefined ? own : [find.isOpen, find.onOpen]
  const [source, setSource] = useState<OpenedSource | undefined>(undefined)
  const { defaultExpanded, newestLines, footer } = slotProps?.messageContent?.partProps?.tool ?? {}
  const options = useMemo(
    () => ({ toolDisplay, defaultExpanded, newestLines, footer }),
    [toolDisplay, defaultExpanded, newestLines, footer],
  )
  // Loading in the middle of a stream costs frames, and the first answer takes longer than this.
  useEffect(() => {
    preloadMarkdown()
    preloadParts()
    approvalsBar.preload()
    actionBar.preload()
    if (toolDisplay === 'widget') widgetTurn.preload()
  }, [toolDisplay])
  const onKeyDown = useBoxKeys(log, { isOpen: isFinding, open: () => setFinding(true) })
  return (
    <BoxContexts options={options} actions={actions} openSource={onOpenSource ?? setSource}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of everything inside */}
      <div
        className={`argot argot-box-root argot-pane${className ? ` ${className}` : ''}`}
        data-part="box"
        data-density={density}
        data-actions={actions.length > 0 ? '' : undefined}
        onKeyDown={onKeyDown}
      >
        <ChatLog handle={log}>
          <Empty suggestions={suggestions}>{emptyNote}</Empty>
        </ChatLog>
        <div className="argot-column argot-below">
          {isFinding && (
            <FromChunk
              chunk={findBar}
              props={{
                log,
                onClose: () => {
                  setFinding(false)
                  field.current?.focus()
                },
              }}
            />
          )}
          <LostBar notice={notice} />
          <Approvals log={log} />
          <Queue field={field} />
          <Editing field={field} />
          <Composer {...slotProps?.composer} field={field} onLeave={() => log.current?.focus()} />
          {find === undefined && <Tools onFind={() => setFinding(true)} />}
        </div>
        {source !== undefined && (
          <FromChunk chunk={sourcePane} props={{ source, onClose: () => setSource(undefined) }} />
        )}
        <Announcer />
      </div>
    </BoxContexts>
  )
}

function Approvals({ log }: Pick<ApprovalsBarProps, 'log'>): ReactNode {
  const pending = usePendingCalls()
  const isExternal = useOptionalChat()?.approvals === 'external'
  return pending.length === 0 || isExternal ? null : <FromChunk chunk={approvalsBar} props={{ log, pending }} />
}

/** Most conversations have no queue, so its chips load last. */
function Queue({ field }: Pick<QueueListProps, 'field'>): ReactNode {
  const store = useChatStore()
  const queue = useValue(store.queue)
  const steering = useValue(store.steering)
  if (queue.length + steering.length === 0) return null
  return <FromChunk chunk={queueList} props={{ queue, steering, field }} />
}

function Editing({ field }: EditingBarProps): ReactNode {
  const isEditing = useValue(useChatStore().editing) !== undefined
  return isEditing ? <FromChunk chunk={editingBar} props={{ field }} /> : null
}

const editingBar = new ComponentChunk<EditingBarProps>(() => import('./composer/editing-bar.tsx'))
export const approvalsBar: ComponentChunk<ApprovalsBarProps> = new ComponentChunk(() => import('./approvals-bar.tsx'))
const queueList = new ComponentChunk<QueueListProps>(() => import('./composer/queue-list.tsx'))
const findBar = new ComponentChunk<FindBarProps>(() => import('./find/find-bar.tsx'))
const sourcePane = new ComponentChunk<SourcePaneProps>(() => import('./source-pane.tsx'))

function BoxContexts(props: {
  options: BoxOptions
  actions: readonly AnswerAction[]
  openSource: (source: OpenedSource) => void
  children: ReactNode
}): ReactNode {
  return (
    <BoxOptionsContext.Provider value={props.options}>
      <AnnouncedContext.Provider value={true}>
        <ActionsContext.Provider value={props.actions}>
          <OpenSourceContext.Provider value={props.openSource}>{props.children}</OpenSourceContext.Provider>
        </ActionsContext.Provider>
      </AnnouncedContext.Provider>
    </BoxOptionsContext.Provider>
  )
}

function Empty({ suggestions, children }: { suggestions: readonly Suggestion[]; children: ReactNode }): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const { isLoading } = useValue(store.history)
  if (useMessageIds().length > 0 || isLoading) return null
  return (
    <div className="argot-empty argot-column" data-part="empty">
      <p className="argot-title" data-part="title">
        {box.empty}
      </p>
      <p>{box.emptyHint}</p>
      <Suggestions items={suggestions.slice(0, 3)} />
      {children}
    </div>
  )
}

function Tools({ onFind }: { onFind: () => void }): ReactNode {
  const locale = useLocale()
  const store = useChatStore()
  const isEmpty = useMessageIds().length === 0
  return (
    <div className="argot-tools" data-part="tools" data-empty={isEmpty ? '' : undefined}>
      <button type="button" className="argot-link" onClick={onFind}>
        {locale.box.find}
      </button>
      <CopyButton name={locale.box.conversation} value={() => conversationText(store.conversation.messages(), locale)}>
        {locale.box.copyConversation}
      </CopyButton>
    </div>
  )
}
