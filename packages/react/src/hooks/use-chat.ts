import type { ChatMessage } from '@argot/core/types'
import { useMemo, useSyncExternalStore } from 'react'
import type { CallAnswerInput } from '../store/call-ui.ts'
import type { ChatStatus, LostConnection, SendInput } from '../store/chat-store-options.ts'
import type { PendingCall } from '../store/conversation.ts'
import type { QueuedMessage } from '../store/run/send-queue.ts'
import type { ChatError, ChatMessageInput } from '../types/index.ts'
import { useChatStore } from './chat-context.ts'
import { useValue } from './use-value.ts'

/** A chat's actions; the same functions for as long as its store lives. */
export interface ChatActions {
  /** Sends, queues during a run, or answers a waiting call. */
  submit(input: SendInput): void
  /** Sends immediately; an active run is stopped. */
  sendMessage(input: SendInput): Promise<void>
  stop(reason?: string): void
  regenerate(messageId?: string): Promise<void>
  /** Takes one of the person's messages back into the composer. */
  edit(messageId: string): void
  /** With `approvalId`, the answer is ignored if the call has a new question. */
  answer(callKey: string, answer: CallAnswerInput, approvalId?: string): Promise<void>
  addToolOutput(callKey: string, output: unknown): Promise<void>
  setMessages(messages: readonly ChatMessageInput[]): void
  messages(): ChatMessage[]
}

export interface Chat extends ChatActions {
  messageIds: readonly string[]
  status: ChatStatus
  /** Calls that wait for the person, oldest first. */
  pending: readonly PendingCall[]
  queue: readonly QueuedMessage[]
  error: ChatError | undefined
  lost: LostConnection | undefined
}

/** The actions of the chat around this component. Never causes a render. */
export function useChatActions(): ChatActions {
  const store = useChatStore()
  return useMemo(
    () => ({
      submit: input => store.submit(input),
      sendMessage: input => store.send(input),
      stop: reason => store.stop(reason),
      regenerate: messageId => store.regenerate(messageId),
      edit: messageId => store.edit(messageId),
      answer: (callKey, answer, approvalId) => store.answer(callKey, answer, approvalId),
      addToolOutput: (callKey, output) => store.addToolOutput(callKey, output),
      setMessages: messages => store.setMessages(messages),
      messages: () => store.conversation.messages(),
    }),
    [store],
  )
}

/** The chat around this component: its state and its actions. Does not render with each token. */
export function useChat(): Chat {
  const store = useChatStore()
  return {
    ...useChatActions(),
    messageIds: useValue(store.conversation.ids),
    status: useValue(store.status),
    pending: useValue(store.conversation.pending),
    queue: useValue(store.queue),
    error: useValue(store.error),
    lost: useValue(store.lost),
  }
}

/** The ids of all messages, oldest first. */
export function useMessageIds(): readonly string[] {
  return useValue(useChatStore().conversation.ids)
}

/** Calls that wait for the person, oldest first. */
export function usePendingCalls(): readonly PendingCall[] {
  const { pending } = useChatStore().conversation
  return useSyncExternalStore(pending.subscribe, pending.get, pending.get)
}

export function usePendingIn(messageId: string): readonly PendingCall[] {
  const { pending } = useChatStore().conversation
  const get = useMemo(() => {
    let lastPending: readonly PendingCall[] = []
    return (): readonly PendingCall[] => {
      const next = pending.get().filter(one => one.messageId === messageId)
      if (next.length !== lastPending.length || next.some((one, at) => one !== lastPending[at])) lastPending = next
      return lastPending
    }
  }, [pending, messageId])
  return useSyncExternalStore(pending.subscribe, get, get)
}
