import type { MessagePart } from '@argot/core'
import { type ComponentType, memo, type ReactNode, useCallback, useMemo, useSyncExternalStore } from 'react'
import { Markdown } from '../../bodies/markdown/markdown.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useCitations } from './use-citations.ts'

/** An assistant's text. Its phase changes its colour and nothing else. */
export const TextItem: ComponentType<{ messageId: string; index: number }> = memo(function TextItem({
  messageId,
  index,
}: {
  messageId: string
  index: number
}): ReactNode {
  const place = useChatStore().conversation.ensureRecord(messageId).at(index)
  const live = useMemo(() => ({ subscribe: place.subscribe, get: () => textIn(place.get())?.text ?? '' }), [place])
  const get = useCallback(() => getLook(textIn(place.get())), [place])
  const look = useSyncExternalStore(place.subscribe, get, get)
  const sources = useCitations(messageId)
  if (look === undefined) return null
  const className = look.startsWith('commentary') ? 'argot-text argot-commentary' : 'argot-text'
  return (
    <div className={className} data-part="text" data-argot-part={index}>
      <Markdown text={live.get()} live={live} isStreaming={look.endsWith('streaming')} sources={sources} />
    </div>
  )
})

function textIn(part: MessagePart | undefined): (MessagePart & { type: 'text' }) | undefined {
  return part?.type === 'text' ? part : undefined
}

/** Everything about a text's frame, as one string; undefined for a text that is not shown. */
function getLook(part: (MessagePart & { type: 'text' }) | undefined): string | undefined {
  return part === undefined || part.text === '' ? undefined : `${part.phase} ${part.state}`
}
