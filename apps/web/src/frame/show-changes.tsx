import type { ReactNode } from 'react'
import { useWords } from '../locale/words.ts'

export interface ShowChangesProps {
  isShown: boolean
  onToggle: (isShown: boolean) => void
}

export function ShowChanges({ isShown, onToggle }: ShowChangesProps): ReactNode {
  return (
    <button
      type="button"
      className="button"
      data-kind="small"
      aria-expanded={isShown}
      onClick={() => onToggle(!isShown)}
    >
      {useWords().showChanges}
    </button>
  )
}
