import type { ReactNode } from 'react'
import type { Documents } from '../server/use-documents.ts'

const silent = 'The server is not answering.'

/** Says that the list of documents cannot be had, and since when nothing is known. */
export function LostServer({ documents }: { documents: Documents }): ReactNode {
  const { lostAt, error, list, reload } = documents
  const isGone = lostAt !== undefined
  if (!isGone && error === undefined) return null
  const time = lostAt === undefined ? '' : new Date(lostAt).toLocaleTimeString('en', { hour12: false })
  return (
    <div className="bar" role="status" data-tone="fail">
      <span>{error ?? (list === undefined ? silent : `${silent} What you see is up to ${time}.`)}</span>
      {(list === undefined || isGone) && (
        <button type="button" className="button" data-kind="small" onClick={reload}>
          Try now
        </button>
      )}
    </div>
  )
}
