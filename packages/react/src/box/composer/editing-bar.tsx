import type { ReactNode, RefObject } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useLocale } from '../../locale/frame-locale.ts'

export interface EditingBarProps {
  /** Where the focus goes when the bar is removed. */
  field: RefObject<HTMLElement | null>
}

/** Says that the composer holds an earlier message, and what sending it does. */
export default function EditingBar({ field }: EditingBarProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const cancel = (): void => {
    store.cancelEdit()
    field.current?.focus()
  }
  return (
    <div className="argot-bar argot-editing" data-part="bar" role="status">
      <span>{store.adapter.branch === undefined ? box.editingHere : box.editing}</span>
      <button
        type="button"
        className="argot-link"
        onClick={cancel}
        onKeyDown={event => {
          if (event.key === 'Escape') cancel()
        }}
      >
        {box.cancelEdit}
      </button>
    </div>
  )
}
