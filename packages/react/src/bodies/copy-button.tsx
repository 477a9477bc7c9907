import { type ReactNode, useEffect, useState } from 'react'
import { useCardLocale } from '../locale/card-locale.ts'
import { copyText } from './copy-text.ts'

const CONFIRM_MS = 2000

export interface CopyButtonProps {
  /** Called when the button is pressed, so that nothing is serialised before. */
  value: () => string
  /** The copied content, for assistive technology: "the output". A button with its own words is named by them. */
  name: string
  children?: ReactNode
}

/** Copies a value, and confirms it for two seconds, or says that the browser refuses. */
export function CopyButton({ value, name, children }: CopyButtonProps): ReactNode {
  const { card } = useCardLocale()
  const [copied, setCopied] = useState<boolean | undefined>(undefined)
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), CONFIRM_MS)
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
