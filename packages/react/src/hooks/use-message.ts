import type { ChatMessage, MessagePart } from 'argot'
import { useSyncExternalStore } from 'react'
import type { MessageHead } from '../store/message-record.ts'
import { useChatStore } from './chat-context.ts'
import { never } from './use-value.ts'

const nothing = (): undefined => undefined
const none = (): number => 0

/** A whole message. Renders with every change of it; a component that shows one part takes `usePart`. */
export function useMessage(id: string): ChatMessage | undefined {
  const record = useChatStore().conversation.record(id)
  const get = record?.message ?? nothing
  return useSyncExternalStore(record?.anyTopic.subscribe ?? never, get, get)
}

/** Everything of a message but its parts. */
export function useMessageHead(id: string): MessageHead | undefined {
  const record = useChatStore().conversation.record(id)
  const get = record?.head ?? nothing
  return useSyncExternalStore(record?.headTopic.subscribe ?? never, get, get)
}

/** How many parts a message has now. */
export function usePartCount(id: string): number {
  const record = useChatStore().conversation.record(id)
  const get = record?.count ?? none
  return useSyncExternalStore(record?.countTopic.subscribe ?? never, get, get)
}

/** One part of a message; the component renders again when this part changes, and for no other. */
export function usePart(messageId: string, index: number): MessagePart | undefined {
  const place = useChatStore().conversation.record(messageId)?.at(index)
  const get = place?.get ?? nothing
  return useSyncExternalStore(place?.subscribe ?? never, get, get)
}
