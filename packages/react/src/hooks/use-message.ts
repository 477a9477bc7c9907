import type { MessagePart } from '@argot/core'
import type { ChatMessage } from '@argot/core/types'
import { useCallback, useSyncExternalStore } from 'react'
import type { MessageHead, MessageRecord } from '../store/message-record.ts'
import { useChatStore } from './chat-context.ts'

/** A complete message. Renders with every change of it; to show one part, use `usePart`. */
export function useMessage(id: string): ChatMessage | undefined {
  const record = useRecord(id)
  const get = useCallback(() => (record.isPresent ? record.message() : undefined), [record])
  return useSyncExternalStore(record.anyTopic.subscribe, get, get)
}

/** A message without its parts. */
export function useMessageHead(id: string): MessageHead | undefined {
  const record = useRecord(id)
  const get = useCallback(() => (record.isPresent ? record.head() : undefined), [record])
  return useSyncExternalStore(record.headTopic.subscribe, get, get)
}

export function usePartCount(id: string): number {
  const record = useRecord(id)
  return useSyncExternalStore(record.countTopic.subscribe, record.count, record.count)
}

/** One part of a message. The component renders only when this part changes. */
export function usePart(messageId: string, index: number): MessagePart | undefined {
  const place = useRecord(messageId).at(index)
  return useSyncExternalStore(place.subscribe, place.get, place.get)
}

/** The type of the part at an index. A component that needs nothing else does not render with each token. */
export function usePartType(messageId: string, index: number): MessagePart['type'] | undefined {
  const place = useRecord(messageId).at(index)
  const get = useCallback(() => place.get()?.type, [place])
  return useSyncExternalStore(place.subscribe, get, get)
}

function useRecord(id: string): MessageRecord {
  return useChatStore().conversation.ensureRecord(id)
}
