import { type ReactNode, useEffect, useState } from 'react'
import { useCardLocale } from '../locale/card-locale.ts'
import { copyText } from './copy-text.ts'

/** So long a button says that it has copied. */
const SAID_FOR = 2000

export interface CopyButtonProps {
  /** Read when the button is pressed, so that nothing is written out before. */
  value: () => string
  /** What is copied, for assistive technology: "the output". A button with words of its own is named by them. */
  name: string
  children?: ReactNode
}

/** Copies a value, and says for two seconds that it did, or that the browser refuses. */
export function CopyButton({ value, name, children }: CopyButtonProps): ReactNode {
  const { card } = useCardLocale()
  const [copied, setCopied] = useState<boolean | undefined>(undefined)
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), SAID_FOR)
    return () => clearTimeout(timer)
  }, [copied])
  const status = copied === undefined ? undefined : copied ? card.copied : card.notCopied
  return (
    <button
      type="button"
      className="argot-link argot-copy"
      data-part="copy"
      aria-label={status ?? (children === undefined ? card.copyOf(name) : undefined)}
      onClick={() => {
        void copyText(value()).then(setCopied)
      }}
    >
      {status ?? children ?? card.copy}
    </button>
  )
}
