import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import type { QueuedMessage } from '../../store/run/send-queue.ts'

export interface QueueListProps {
  queue: readonly QueuedMessage[]
  /** Those that join the run at its next step. */
  steering: readonly QueuedMessage[]
  /** Where the focus goes when a focused chip is removed. */
  field: RefObject<HTMLElement | null>
}

/** The messages that join the run, and those that wait for its end: edit, send now, remove. */
export default function QueueList({ queue, steering, field }: QueueListProps): ReactNode {
  const { box } = useLocale()
  return (
    <>
      {steering.length > 0 && (
        <ul className="argot-chips argot-queue" data-part="chips" aria-label={box.steering}>
          {steering.map(({ id, text }) => (
            <li key={id} className="argot-chip" data-part="chip">
              <span className="argot-grow" dir="auto">
                {text}
              </span>
              <span className="argot-hint" data-part="hint">
                {box.steering}
              </span>
            </li>
          ))}
        </ul>
      )}
      {queue.length > 0 && (
        <ul className="argot-chips argot-queue" data-part="chips" aria-label={box.queued}>
          {queue.map(message => (
            <QueuedChip key={message.id} message={message} onGone={() => field.current?.focus()} />
          ))}
        </ul>
      )}
    </>
  )
}

function QueuedChip({ message, onGone }: { message: QueuedMessage; onGone: () => void }): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const [isEditing, setEditing] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const isLeft = useRef(false)
  const { id, text } = message
  useEffect(() => {
    if (isLeft.current) opener.current?.focus()
    isLeft.current = false
    // A message is never sent while it is being edited.
    if (isEditing) store.queue.hold(id)
    return () => {
      if (isEditing) store.releaseQueued(id)
    }
  }, [store, id, isEditing])
  return (
    <li className="argot-chip" data-part="chip">
      {isEditing ? (
        <input
          className="argot-field argot-grow"
          data-part="field"
          // biome-ignore lint/a11y/noAutofocus: the person asked to edit it
          autoFocus
          dir="auto"
          aria-label={box.editQueued(text)}
          value={text}
          onChange={event => store.queue.edit(id, event.target.value)}
          onBlur={() => setEditing(false)}
          onKeyDown={event => {
            if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
            event.preventDefault()
            isLeft.current = text.trim() !== ''
            setEditing(false)
            if (!isLeft.current) onGone()
          }}
        />
      ) : (
        <button
          ref={opener}
          type="button"
          className="argot-link argot-grow argot-start"
          aria-label={box.editQueued(text)}
          onClick={() => setEditing(true)}
        >
          <span dir="auto">{text}</span>
        </button>
      )}
      <button
        type="button"
        className="argot-link"
        aria-label={box.sendNow(text)}
        onClick={() => {
          store.sendQueued(id)
          onGone()
        }}
      >
        ↑
      </button>
      <button
        type="button"
        className="argot-link"
        aria-label={box.removeQueued(text)}
        onClick={() => {
          store.queue.take(id)
          onGone()
        }}
      >
        ✕
      </button>
    </li>
  )
}
