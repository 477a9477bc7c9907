import { isToolPart, type Message, type MessagePart } from '@argot/core'
import { isCorrection, isSummary } from '@argot/core/stream/internal'
import { describeCall } from '../hooks/words.ts'

import type { FrameLocale } from '../locale/chat-locale.ts'

export function conversationText(messages: readonly Message[], { box, call }: FrameLocale): string {
  const author = (role: string): string =>
    role === 'user' ? box.you : role === 'assistant' ? box.assistant : box.role(role)
  return messages
    .map(
      ({ role, parts }) =>
        `${author(role)}:\n\n${parts
          .map(part => partText(part, { box, call }))
          .filter(Boolean)
          .join('\n\n')}`,
    )
    .join('\n\n')
}

function partText(part: MessagePart, { box, call }: Pick<FrameLocale, 'box' | 'call'>): string {
  if (isToolPart(part)) return `[${describeCall(part.toolInvocation, { locale: call }).sentence}]`
  if (part.type === 'text') return part.phase === 'remainder' ? '' : part.text
  if (part.type === 'file') return `[${part.filename ?? part.mediaType}]`
  if (isCorrection(part)) return `[${box.correction(part.data.text)}]`
  if (isSummary(part)) return `[${box.summary(part.data.replaces)}]`
  if (part.type === 'source-url') return `[${part.title ?? part.url}]`
  return ''
}
