import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry } from '@argot/server/api'
import type { ReactNode } from 'react'
import { toHref } from '../frame/use-route.ts'
import { useWords } from '../locale/words.ts'
import { type PageSearchHit, useSearch } from './use-search.ts'

export interface SearchHitsProps {
  words: string
  /** Documents that the list already shows, because their names match. */
  without: readonly DocumentEntry[]
  current: string | undefined
  onPick: () => void
  /** No document's name matches. */
  isAlone: boolean
}

/** The documents with these words in their messages, each with an excerpt around the best match. */
export function SearchHits({ words, without, current, onPick, isAlone }: SearchHitsProps): ReactNode {
  const locale = useWords()
  const hits = useSearch(words)
  const others = hits?.filter(({ path }) => !without.some(one => one.path === path))
  if (others === undefined) {
    return (
      <li className="documents-none" role="status">
        {locale.conversations.searching}
      </li>
    )
  }
  if (others.length === 0) return isAlone ? <li className="documents-none">{locale.documents.noMatch}</li> : null
  return (
    <>
      <li data-kind="heading">
        <h3>{locale.conversations.inMessages}</h3>
      </li>
      {others.map(hit => (
        <li key={`hit ${hit.path}`} data-kind="hit">
          <a
            href={toHref(hit.path)}
            data-row
            data-path={hit.path}
            aria-current={hit.path === current ? 'page' : undefined}
            title={visibleLine(hit.path)}
            onClick={onPick}
          >
            <span className="row-title">{visibleLine(hit.title)}</span>
            <span className="argot-hidden">{visibleLine(hit.path)}</span>
            <span className="row-snippet">{mark(hit.snippet)}</span>
          </a>
        </li>
      ))}
    </>
  )
}

function mark({ text, marks }: PageSearchHit['snippet']): ReactNode[] {
  const pieces: ReactNode[] = []
  let markedEnd = 0
  for (const [start = 0, end = 0] of marks) {
    if (start < markedEnd || end > text.length) continue
    pieces.push(
      visibleLine(text.slice(markedEnd, start)),
      <mark key={start}>{visibleLine(text.slice(start, end))}</mark>,
    )
    markedEnd = end
  }
  pieces.push(visibleLine(text.slice(markedEnd)))
  return pieces
}
