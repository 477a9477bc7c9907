import { isToolPart, type MessagePart, type ToolInvocation } from '@argot/core'
import { useMemo, useSyncExternalStore } from 'react'
import { toCallKey } from '../store/call-key.ts'
import type { ChatStore } from '../store/chat-store.ts'
import type { MessageRecord } from '../store/message-record.ts'
import type { CallSource, ToolCallTarget } from './call-target.ts'
import { useChatStore } from './chat-context.ts'
import { never } from './use-value.ts'
import { useVersion } from './use-version.ts'

type FormatCall = ((call: ToolInvocation) => string) | undefined

/**
 * Follows a call of the surrounding chat: a message's, or an agent's inside one. `words` is a row's text while its
 * input streams: the part stays the same for as long as that text does.
 */
export function useCallInChat(target: ToolCallTarget, words: FormatCall): CallSource | undefined {
  const store = useChatStore()
  const inMessage = useCallInMessage(target, store, words)
  const inRun = useCallInRun(target, store)
  return inRun ?? inMessage
}

function useCallInMessage(target: ToolCallTarget, store: ChatStore, words: FormatCall): CallSource | undefined {
  const { conversation } = store
  const place = 'callKey' in target ? conversation.place(target.callKey) : 'messageId' in target ? target : undefined
  const record: MessageRecord | undefined = place && conversation.record(place.messageId)
  const slot = place && record?.at(place.index)
  const get = useMemo(
    () => (slot === undefined || words === undefined ? slot?.get : steadyWhileWriting(slot.get, words)),
    [slot, words],
  )
  const part = useSyncExternalStore(slot?.subscribe ?? never, get ?? nothing, get ?? nothing)
  const readHead = record?.head ?? nothing
  useSyncExternalStore(record?.headTopic.subscribe ?? never, readHead, readHead)
  const tool = part !== undefined && isToolPart(part) ? part : undefined
  const callKey = tool && record && toCallKey(record.id, tool.toolInvocation)
  const ui = callKey === undefined ? undefined : conversation.ui(callKey)
  useVersion(ui)
  const hasBegun = useHasBegun(tool?.toolInvocation, record, store)
  const approvalId = tool?.toolInvocation.approval?.id
  const check = useCheck(store, approvalId)
  if (record === undefined || tool === undefined || callKey === undefined || ui === undefined) return undefined
  const { role, status } = record.head()
  return {
    callKey,
    messageId: record.id,
    scope: record.id,
    part: tool,
    newest: words && slot,
    role,
    status,
    ui,
    hasBegun,
    answer: store.adapter.addToolApprovalResponse && (answer => void store.answer(callKey, answer, approvalId)),
    addOutput: store.adapter.addToolOutput && (output => void store.addToolOutput(callKey, output)),
    check,
    stop: status === 'streaming' && store.isRunning ? () => store.stop() : undefined,
  }
}

/** The same function until the question or the adapter changes. */
function useCheck(store: ChatStore, id: string | undefined): CallSource['check'] {
  const { adapter } = store
  return useMemo(
    () =>
      id === undefined || adapter.checkApproval === undefined
        ? undefined
        : async signal => adapter.checkApproval!({ id, signal }),
    [adapter, id],
  )
}

const nothing = (): undefined => undefined

/**
 * Whether an approved call is running by now. No chunk says so. It is running once its run continues. Some runs wait
 * for the answers to all their questions, so none in the message may be open.
 */
function useHasBegun(call: ToolInvocation | undefined, record: MessageRecord | undefined, store: ChatStore): boolean {
  const { pending } = store.conversation
  const isApproved = call?.state === 'approval-responded' && call.approval?.approved === true
  const get = (): boolean =>
    isApproved &&
    record?.head().status === 'streaming' &&
    pending.get().every(({ messageId }) => messageId !== record.id)
  return useSyncExternalStore(isApproved ? pending.subscribe : never, get, get)
}

function useCallInRun(target: ToolCallTarget, store: ChatStore): CallSource | undefined {
  const { conversation } = store
  const callKey = 'callKey' in target ? target.callKey : undefined
  const place = callKey === undefined ? undefined : conversation.subs.findRun(callKey)
  const getRun = place?.run.get ?? nothing
  const run = useSyncExternalStore(place?.run.subscribe ?? never, getRun, getRun)
  const record = place && conversation.record(place.messageId)
  const readHead = record?.head ?? nothing
  useSyncExternalStore(record?.headTopic.subscribe ?? never, readHead, readHead)
  const ui = place === undefined || callKey === undefined ? undefined : conversation.ui(callKey)
  useVersion(ui)
  const toolInvocation = run?.calls.find(call => toCallKey(run.key, call) === callKey)
  const hasBegun = useHasBegun(toolInvocation, record, store)
  if (callKey === undefined || run === undefined || ui === undefined) return undefined
  if (toolInvocation === undefined) return undefined
  const status = record?.head().status ?? 'sent'
  const approvalId = toolInvocation.approval?.id
  ui.visit(toolInvocation.state, status === 'streaming')
  return {
    callKey,
    messageId: record?.id,
    scope: run.key,
    part: { type: 'dynamic-tool', toolInvocation },
    newest: undefined,
    role: 'assistant',
    status,
    ui,
    hasBegun,
    answer: store.adapter.addToolApprovalResponse && (answer => void store.answer(callKey, answer, approvalId)),
    addOutput: undefined,
    stop: status === 'streaming' && store.isRunning ? () => store.stop() : undefined,
  }
}

/** Reads a part; returns the same object for as long as its input streams and its words stay the same. */
function steadyWhileWriting(
  get: () => MessagePart | undefined,
  words: (call: ToolInvocation) => string,
): () => MessagePart | undefined {
  let newest: MessagePart | undefined
  let lastPart: MessagePart | undefined
  let lastSentence: string | undefined
  return () => {
    const part = get()
    if (part === newest) return lastPart
    newest = part
    const isWriting = part !== undefined && isToolPart(part) && part.toolInvocation.state === 'input-streaming'
    const next = isWriting ? words(part.toolInvocation) : undefined
    if (next === undefined || next !== lastSentence) lastPart = part
    lastSentence = next
    return lastPart
  }
}
