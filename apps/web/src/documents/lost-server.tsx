import type { ReactNode } from 'react'
import { useWords } from '../locale/words.ts'
import type { DocumentList } from '../server/use-documents.ts'

export interface LostServerProps {
  documents: DocumentList
  /** It is above the composer, not below the header. */
  isInBox?: boolean | undefined
}

/** Says that the list of documents can't be loaded, and how old the information is. */
export function LostServer({ documents, isInBox = false }: LostServerProps): ReactNode {
  const page = useWords()
  const { lostAt, error, list, reload } = documents
  const isGone = lostAt !== undefined
  if (!isGone && error === undefined) return null
  const time = lostAt === undefined ? '' : page.time(new Date(lostAt))
  const button = isInBox
    ? { className: 'argot-button', 'data-size': 'small' }
    : { className: 'button', 'data-kind': 'small' }
  return (
    <div className={isInBox ? 'argot-bar' : 'bar'} role="status" data-tone="fail">
      <span className={isInBox ? 'argot-fail' : undefined}>
        {error ?? (list === undefined ? page.serverGone : page.serverGoneSince(time))}
      </span>
      {(list === undefined || isGone) && (
        <button type="button" {...button} onClick={reload}>
          {page.tryNow}
        </button>
      )}
    </div>
  )
}
