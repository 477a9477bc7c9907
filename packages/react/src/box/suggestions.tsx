import type { ReactNode } from 'react'
import { useOptionalChat } from '../hooks/chat-context.ts'
import { Chevron } from '../parts/glyph.tsx'

/** A text to send, or a short label for a longer one. */
export type Suggestion = string | { label: string; text: string }

export interface SuggestionsProps {
  items: readonly Suggestion[]
  /** Sends the text to the surrounding chat by default. */
  onPick?: ((text: string) => void) | undefined
}

/** Texts that are sent with a click. */
export function Suggestions({ items, onPick }: SuggestionsProps): ReactNode {
  const store = useOptionalChat()?.store
  const pick = onPick ?? (store && ((text: string) => store.submit({ text })))
  if (pick === undefined) throw new Error('<Suggestions> needs `onPick`, or a <ChatProvider> around it.')
  if (items.length === 0) return null
  return (
    <div className="argot argot-suggestions">
      {items.map(item => {
        const { label, text } = typeof item === 'string' ? { label: item, text: item } : item
        return (
          <button
            key={`${label}\n${text}`}
            type="button"
            className="argot-button argot-suggestion"
            data-part="suggestion"
            onClick={() => pick(text)}
          >
            <span dir="auto">{label}</span>
            <Chevron />
          </button>
        )
      })}
    </div>
  )
}
