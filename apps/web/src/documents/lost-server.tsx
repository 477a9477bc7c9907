import type { ReactNode } from 'react'
import type { Documents } from '../server/use-documents.ts'

const silent = 'The server is not answering.'

export interface LostServerProps {
  documents: Documents
  /** It is above the composer, not below the header. */
  isInBox?: boolean | undefined
}

/** Says that the list of documents cannot be had, and since when nothing is known. */
export function LostServer({ documents, isInBox = false }: LostServerProps): ReactNode {
  const { lostAt, error, list, reload } = documents
  const isGone = lostAt !== undefined
  if (!isGone && error === undefined) return null
  const time = lostAt === undefined ? '' : new Date(lostAt).toLocaleTimeString('en', { hour12: false })
  const button = isInBox
    ? { className: 'argot-button', 'data-size': 'small' }
    : { className: 'button', 'data-kind': 'small' }
  return (
    <div className={isInBox ? 'argot-bar' : 'bar'} role="status" data-tone="fail">
      <span className={isInBox ? 'argot-fail' : undefined}>
        {error ??
          (list === undefined
            ? silent
            : `${silent} What you see is up to ${time}. What you type is kept in this browser.`)}
      </span>
      {(list === undefined || isGone) && (
        <button type="button" {...button} onClick={reload}>
          Try now
        </button>
      )}
    </div>
  )
}
