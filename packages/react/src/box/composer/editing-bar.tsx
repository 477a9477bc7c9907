import type { ReactNode } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useLocale } from '../../locale/locale-context.ts'

/** Says that what is in the composer is an earlier message, and what sending it does. */
export default function EditingBar(): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  return (
    <div className="argot-bar" role="status">
      <span>{box.editing}</span>
      <button type="button" className="argot-link" onClick={() => store.cancelEdit()}>
        {box.cancelEdit}
      </button>
    </div>
  )
}
