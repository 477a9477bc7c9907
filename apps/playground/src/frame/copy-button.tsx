import { copyText } from '@argot/react'
import { type ReactNode, useEffect, useState } from 'react'
import { Icon, type PlaygroundIconName } from './icon.tsx'

interface CopyTextProps {
  label: string
  icon?: PlaygroundIconName
  /** Undefined if there is nothing to copy. */
  text: () => Promise<string | undefined> | string
  /** Shown if there is nothing to copy. */
  refusal?: string
  onCopied?: (text: string) => void
}

/** Copies, and confirms it on the button and to screen readers. */
export function CopyButton({ label, icon = 'copy', text, refusal = 'Not copied', onCopied }: CopyTextProps): ReactNode {
  const [note, setNote] = useState('')
  useEffect(() => {
    if (note === '') return
    const timer = setTimeout(() => setNote(''), 4000)
    return () => clearTimeout(timer)
  }, [note])
  const copy = async (): Promise<void> => {
    const value = await text()
    if (value === undefined) return setNote(refusal)
    onCopied?.(value)
    setNote((await copyText(value)) ? 'Copied' : 'Copying is not allowed here')
  }
  return (
    <>
      <button type="button" className="button" onClick={() => void copy()}>
        <Icon name={note === 'Copied' ? 'check' : icon} />
        {note === 'Copied' ? 'Copied' : label}
      </button>
      <span className={note === '' || note === 'Copied' ? 'hidden' : 'note'} role="status">
        {note}
      </span>
    </>
  )
}
