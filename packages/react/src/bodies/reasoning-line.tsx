import { type ReactNode, useState } from 'react'
import { useCardLocale } from '../locale/card-locale.ts'
import { Markdown } from './markdown/markdown.tsx'

export interface ReasoningLineProps {
  text: string
  isStreaming?: boolean | undefined
  /** "8 s" */
  duration?: string | undefined
  /** Controlled open state; without it, the line starts closed. */
  open?: boolean | undefined
  onOpenChange?: ((open: boolean) => void) | undefined
}

/** A model's reasoning as one closed line: "Thought for 8 s". */
export function ReasoningLine({
  text,
  isStreaming = false,
  duration,
  open,
  onOpenChange,
}: ReasoningLineProps): ReactNode {
  const { card } = useCardLocale()
  const [own, setOwn] = useState(false)
  const isOpen = open ?? own
  return (
    <div className="argot-thought" data-part="reasoning">
      <button
        type="button"
        className="argot-thought-line"
        aria-expanded={isOpen}
        onClick={() => {
          setOwn(!isOpen)
          onOpenChange?.(!isOpen)
        }}
      >
        {isStreaming ? card.thinking : card.thought(duration)}
        <svg className="argot-glyph argot-chevron" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6.25 4l4 4-4 4" />
        </svg>
      </button>
      {isOpen && (
        <div className="argot-thought-text">
          <Markdown text={text} isStreaming={isStreaming} />
        </div>
      )}
    </div>
  )
}
