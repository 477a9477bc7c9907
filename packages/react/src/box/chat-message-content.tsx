import type { ToolInvocation } from '@argot/core'
import { waitsFor } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import { memo, type ReactNode, useCallback, useContext, useId, useMemo, useState, useSyncExternalStore } from 'react'
import { ComponentChunk, FromChunk } from '../bodies/component-chunk.tsx'
import { RepairsContext } from '../hooks/calls-context.ts'
import { useChatStore } from '../hooks/chat-context.ts'
import { useCalls } from '../hooks/use-calls.ts'
import { usePendingIn } from '../hooks/use-chat.ts'
import { useMessage, useMessageHead } from '../hooks/use-message.ts'
import { useVersion } from '../hooks/use-version.ts'
import { useLocale } from '../locale/frame-locale.ts'
import { CallList } from '../parts/run/call-list.tsx'
import { RunLine } from '../parts/run/run-line.tsx'
import { findRepairs } from '../parts/run/run-summary.ts'
import type { Wait } from '../parts/run/waits.ts'
import { ToolCard } from '../parts/tool-card.tsx'
import { toCallKey } from '../store/call-key.ts'
import { groupKey, widgetKey } from '../store/folds.ts'
import { BoxOptionsContext, type ToolPartProps } from './box-options.ts'
import { CustomPart } from './log/custom-part.tsx'
import { OtherItem } from './log/other-item.tsx'
import { TextItem } from './log/text-item.tsx'
import { type TurnItem, type TurnLayout, turnLayout } from './log/turn-layout.ts'
import { useFold } from './log/use-fold.ts'
import type { WidgetTurnProps } from './widget-turn.tsx'

export interface ChatMessageContentProps {
  messageId: string
  /** How parts are shown; `tool.defaultExpanded` opens and closes cards. */
  partProps?: { tool?: ToolPartProps | undefined } | undefined
}

/**
 * A message's content: its parts as drawn by registered renderers, or else by the built-in ones. A turn with calls has
 * a line above its work, which folds it.
 */
export function ChatMessageContent({ messageId, partProps }: ChatMessageContentProps): ReactNode {
  const options = useContext(BoxOptionsContext)
  const tool = partProps?.tool
  const own = useMemo(() => ({ ...options, ...defined({ ...tool }) }), [options, tool])
  const content = <Content messageId={messageId} />
  return tool === undefined ? content : <BoxOptionsContext.Provider value={own}>{content}</BoxOptionsContext.Provider>
}

function Content({ messageId }: { messageId: string }): ReactNode {
  const { toolDisplay } = useContext(BoxOptionsContext)
  const layout = useLayout(messageId)
  const role = useMessageHead(messageId)?.role
  if (role !== 'assistant') return <Items messageId={messageId} items={layout.items} work={0} />
  return toolDisplay === 'widget' ? <Widget messageId={messageId} /> : <Turn messageId={messageId} layout={layout} />
}

/** The layout changes with the number and the kinds of the parts, not with their content. */
function useLayout(messageId: string): TurnLayout {
  const record = useChatStore().conversation.record(messageId)
  const source = useMemo(() => {
    let signature = ''
    let layout: TurnLayout = { items: [], work: 0, calls: [] }
    return {
      subscribe: (listener: () => void) => record?.countTopic.subscribe(listener) ?? (() => {}),
      get: () => {
        const { parts } = record?.message() ?? { parts: [] }
        const next = parts.map(({ type }) => type).join()
        if (next !== signature) {
          signature = next
          layout = turnLayout(parts)
        }
        return layout
      },
    }
  }, [record])
  return useSyncExternalStore(source.subscribe, source.get, source.get)
}

function Turn({ messageId, layout }: { messageId: string; layout: TurnLayout }): ReactNode {
  const head = useMessageHead(messageId)
  const calls = useCalls(messageId, layout.calls)
  const workId = useId()
  const { run } = useLocale()
  const store = useChatStore()
  const pending = usePendingIn(messageId)
  const isWaiting = pending.length > 0
  const answered = useMemo(() => {
    const keys = new Set(pending.map(({ callKey }) => callKey))
    const isAnswered = (call: ToolInvocation): boolean =>
      waitsFor(call) !== undefined && !keys.has(toCallKey(messageId, call))
    return new Set(calls.filter(isAnswered).map(({ key }) => key))
  }, [calls, pending, messageId])
  const repairs = useRepairs(calls)
  const waits = new Map(
    calls.flatMap(({ key }): [string, Wait][] => {
      const { askedAt: from, answeredAt: to } = store.conversation.ui(`${messageId}/${key}`)
      return from === undefined ? [] : [[key, { from, to }]]
    }),
  )
  const [isOpen, setOpen] = useFold(messageId, calls, head?.status, isWaiting)
  const isLive = head?.status === 'streaming'
  const [wasLive] = useState(isLive)
  const hasLine = calls.length > 0 || isLive || wasLive
  const goTo = useCallback((key: string) => focusCall(`${messageId}/${key}`), [messageId])
  const openAll = (): void => {
    setOpen(true)
    for (const call of calls) store.conversation.ui(`${messageId}/${call.key}`).setOpen(undefined, true)
  }
  const status = isLive || isWaiting ? 'working' : head?.status === 'cancelled' ? 'stopped' : 'done'
  const started = head?.createdAt === undefined ? undefined : Date.parse(head.createdAt)
  return (
    <div className="argot-work">
      {hasLine && (
        <RunLine
          calls={calls}
          status={status}
          // The card that asks is below it: a turn with a question can't be folded.
          waiting={0}
          answered={answered}
          waits={waits}
          startedAt={isLive ? started : undefined}
          isOpen={isOpen}
          onToggle={calls.length > 0 ? setOpen : undefined}
          onSelect={isOpen ? goTo : undefined}
          controls={workId}
        />
      )}
      {hasLine && calls.length > 1 && (
        <button type="button" className="argot-link argot-open-all" onClick={openAll}>
          {run.openAll}
        </button>
      )}
      <div id={workId} className="argot-rail argot-turn" data-settled={wasLive ? undefined : ''}>
        <RepairsContext.Provider value={repairs}>
          <Items messageId={messageId} items={layout.items} work={layout.work} isFolded={!isOpen} />
        </RepairsContext.Provider>
      </div>
    </div>
  )
}

/** The same map until another call is repaired, because cards depend on it. */
function useRepairs(calls: readonly ToolInvocation[]): ReadonlyMap<string, number> {
  const text = JSON.stringify([...findRepairs(calls)])
  return useMemo(() => new Map(JSON.parse(text) as [string, number][]), [text])
}

/** Loaded on demand, because most chats show cards. */
export const widgetTurn: ComponentChunk<WidgetTurnProps> = new ComponentChunk(() => import('./widget-turn.tsx'))

/** One line above all calls, with the answer below it. The store remembers whether the line is open. */
function Widget({ messageId }: { messageId: string }): ReactNode {
  const message = useMessage(messageId)
  const pending = usePendingIn(messageId)
  const { folds } = useChatStore()
  const key = widgetKey(messageId)
  useVersion(folds)
  if (message === undefined) return null
  return (
    <FromChunk
      chunk={widgetTurn}
      props={{
        message,
        pending: pending.map(({ index }) => index),
        isOpen: folds.isOpened(key),
        onToggle: open => folds.set(key, !open, false),
        renderCall: (index, isTurning) => <CallRow messageId={messageId} index={index} isTurning={isTurning} />,
        renderPart: (kind, index) => <Item messageId={messageId} item={{ kind, index }} />,
      }}
    />
  )
}

interface ItemsProps {
  messageId: string
  items: readonly TurnItem[]
  work: number
  isFolded?: boolean
}

const Items = memo(function Items({ messageId, items, work, isFolded = false }: ItemsProps): ReactNode {
  return items.map((item, at) => {
    const isWork = at < work
    if (isWork && isFolded) return null
    const index = item.kind === 'calls' ? item.indexes[0]! : item.index
    return (
      <div key={index} className="argot-item" data-work={isWork ? '' : undefined}>
        <Item messageId={messageId} item={item} />
      </div>
    )
  })
})

function Item({ messageId, item }: { messageId: string; item: TurnItem }): ReactNode {
  if (item.kind === 'calls') return <Calls messageId={messageId} indexes={item.indexes} steps={item.steps} />
  const { index } = item
  return (
    <CustomPart messageId={messageId} index={index}>
      {item.kind === 'text' ? (
        <TextItem messageId={messageId} index={index} />
      ) : (
        <OtherItem messageId={messageId} index={index} />
      )}
    </CustomPart>
  )
}

interface CallsProps {
  messageId: string
  indexes: readonly number[]
  steps: readonly number[] | undefined
}

function Calls({ messageId, indexes, steps }: CallsProps): ReactNode {
  const calls = useCalls(messageId, indexes)
  const isLive = useMessageHead(messageId)?.status === 'streaming'
  const [wasLive] = useState(isLive)
  const places = useMemo(() => new Map(calls.map((call, at) => [call.key, indexes[at]!])), [calls, indexes])
  const renderCall = useCallback(
    (call: ToolInvocation, isTurning: boolean) => (
      <CallRow key={call.key} messageId={messageId} index={places.get(call.key)!} isTurning={isTurning} />
    ),
    [messageId, places],
  )
  const { folds } = useChatStore()
  useVersion(folds)
  const toGroupKey = ({ key }: ToolInvocation): string => groupKey(`${messageId}/${key}`)
  return (
    <CallList
      calls={calls}
      renderCall={renderCall}
      groupsReads={!wasLive}
      steps={steps}
      isGroupOpen={some => some.some(call => folds.isOpened(toGroupKey(call)))}
      onGroupToggle={(some, open) => {
        for (const call of some) folds.set(toGroupKey(call), !open, false)
      }}
    />
  )
}

const CallRow = memo(function CallRow({
  messageId,
  index,
  isTurning,
}: {
  messageId: string
  index: number
  isTurning: boolean
}): ReactNode {
  const { defaultExpanded, newestLines, footer } = useContext(BoxOptionsContext)
  return (
    <CustomPart messageId={messageId} index={index}>
      <ToolCard
        messageId={messageId}
        index={index}
        isTurning={isTurning}
        defaultExpanded={defaultExpanded}
        newestLines={newestLines}
        footer={footer}
      />
    </CustomPart>
  )
})

function focusCall(callKey: string): void {
  const card = document.querySelector<HTMLElement>(`[data-argot-call="${CSS.escape(callKey)}"]`)
  const target = card?.querySelector<HTMLElement>('[data-argot-summary]') ?? card
  target?.focus()
}
