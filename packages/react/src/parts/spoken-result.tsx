import { type ReactNode, useState } from 'react'

export interface SpokenResultProps {
  /** What is said of the call when it is over. */
  sentence: string
  isOver: boolean
}

/** Announces politely what came of a call, once, if it ends while its card is on the page. */
export function SpokenResult({ sentence, isOver }: SpokenResultProps): ReactNode {
  const [isOld] = useState(isOver)
  return (
    <div className="argot-hidden" aria-live="polite">
      {isOver && !isOld ? sentence : ''}
    </div>
  )
}
