import { type ReactNode, useState } from 'react'

export interface SpokenResultProps {
  /** The announcement when the call is over. */
  sentence: string
  isOver: boolean
}

/** Announces a call's outcome politely, once, if it ends while its card is on the page. */
export function SpokenResult({ sentence, isOver }: SpokenResultProps): ReactNode {
  const [isOld] = useState(isOver)
  return (
    <div className="argot-hidden" aria-live="polite">
      {isOver && !isOld ? sentence : ''}
    </div>
  )
}
