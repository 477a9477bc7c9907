import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Citation } from '../../bodies/markdown/cite.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'

/** A message's sources. The same list until another source arrives, so that its texts do not render again. */
export function useCitations(messageId: string): readonly Citation[] | undefined {
  const record = useChatStore().conversation.ensureRecord(messageId)
  const get = useCallback((): string => {
    const { parts } = record.message()
    const sources = parts.flatMap((part): Citation[] => {
      if (part.type === 'source-url') return [{ id: part.sourceId, title: part.title ?? part.url, url: part.url }]
      return part.type === 'source-document' ? [{ id: part.sourceId, title: part.title }] : []
    })
    return sources.length === 0 ? '' : JSON.stringify(sources)
  }, [record])
  const sources = useSyncExternalStore(record.countTopic.subscribe, get, get)
  return useMemo(() => (sources === '' ? undefined : (JSON.parse(sources) as Citation[])), [sources])
}
