import type { ReactNode } from 'react'
import { useChatStore } from '../hooks/chat-context.ts'
import { useValue } from '../hooks/use-value.ts'
import { useLocale } from '../locale/locale-context.ts'

/** Says that what is in the composer is an earlier message, and what sending it does. */
export function EditingBar(): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const isEditing = useValue(store.editing) !== undefined
  if (!isEditing) return null
  return (
    <div className="argot-bar" role="status">
      <span>{box.editing}</span>
      <button type="button" className="argot-link" onClick={() => store.cancelEdit()}>
        {box.cancelEdit}
      </button>
    </div>
  )
}
