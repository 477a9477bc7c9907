import { type ComponentType, memo, type ReactNode } from 'react'
import { Markdown } from '../bodies/markdown.tsx'
import { usePart } from '../hooks/use-message.ts'

/** A text of the assistant. What it is for changes its colour and nothing else. */
export const TextItem: ComponentType<{ messageId: string; index: number }> = memo(function TextItem({
  messageId,
  index,
}: {
  messageId: string
  index: number
}): ReactNode {
  const part = usePart(messageId, index)
  if (part?.type !== 'text' || part.text === '') return null
  const className = part.phase === 'commentary' ? 'argot-text argot-commentary' : 'argot-text'
  return (
    <div className={className} data-argot-part={index}>
      <Markdown text={part.text} isStreaming={part.state === 'streaming'} />
    </div>
  )
})
