import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface ThreadTitleProps {
  title: string
  name: string
  /** Undefined if nothing should change. */
  onDone: (title: string | undefined) => void
}

const LONGEST_TITLE = 200

/** A title as a field. Enter and leaving the field keep the text; Escape discards it. */
export function ThreadTitle({ title, name, onDone }: ThreadTitleProps): ReactNode {
  const field = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  const [text, setText] = useState(title)
  useEffect(() => field.current?.select(), [])
  const finish = (next: string): void => {
    // Closing the field makes it lose focus.
    if (isDone.current) return
    isDone.current = true
    onDone(next.trim() || undefined)
  }
  return (
    <input
      ref={field}
      className="argot-field argot-thread-field"
      dir="auto"
      aria-label={name}
      value={text}
      maxLength={LONGEST_TITLE}
      autoComplete="off"
      onChange={event => setText(event.target.value)}
      onBlur={() => finish(text)}
      onKeyDown={event => {
        event.stopPropagation()
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') finish(text)
        if (event.key === 'Escape') finish('')
      }}
    />
  )
}
