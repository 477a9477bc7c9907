import { type ReactNode, useState } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import { useValue } from '../hooks/use-value.ts'
import { useLocale } from '../locale/locale-context.ts'
import type { QueuedMessage } from '../store/send-queue.ts'

/** The messages that wait for the end of the run: edit, send now, remove. */
export function QueueList(): ReactNode {
  const { box } = useLocale()
  const queue = useValue(useChatStore().queue)
  if (queue.length === 0) return null
  return (
    <ul className="argot-chips argot-queue" aria-label={box.queued}>
      {queue.map(message => (
        <QueuedChip key={message.id} message={message} />
      ))}
    </ul>
  )
}

function QueuedChip({ message }: { message: QueuedMessage }): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const [isEditing, setEditing] = useState(false)
  const { id, text } = message
  return (
    <li className="argot-chip">
      {isEditing ? (
        <input
          className="argot-field argot-grow"
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
            setEditing(false)
          }}
        />
      ) : (
        <button
          type="button"
          className="argot-link argot-grow argot-start"
          aria-label={box.editQueued(text)}
          onClick={() => setEditing(true)}
        >
          <span dir="auto">{text}</span>
        </button>
      )}
      <button type="button" className="argot-link" aria-label={box.sendNow(text)} onClick={() => store.sendQueued(id)}>
        ↑
      </button>
      <button
        type="button"
        className="argot-link"
        aria-label={box.removeQueued(text)}
        onClick={() => void store.queue.take(id)}
      >
        ✕
      </button>
    </li>
  )
}
