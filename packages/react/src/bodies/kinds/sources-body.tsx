import { visibleLine } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { useBodyState } from '../body-state.tsx'
import type { Source } from './read-sources.ts'

const SHORT = 8
const LONGEST_TITLE = 200

export interface SourcesBodyProps {
  sources: readonly Source[]
}

export default function SourcesBody({ sources }: SourcesBodyProps): ReactNode {
  const { body } = usePartLocale()
  const [isWhole, setWhole] = useBodyState('sources', false)
  return (
    <>
      <ol className="argot-found" data-part="sources">
        {sources.slice(0, isWhole ? sources.length : SHORT).map(({ title, url, host, snippet }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a search may find a page twice
          <li key={index}>
            <a href={url} rel="noopener noreferrer" target="_blank">
              {visibleLine(title.slice(0, LONGEST_TITLE).toWellFormed())}
            </a>{' '}
            <span className="argot-found-host">{visibleLine(host)}</span>
            {snippet !== undefined && <p className="argot-clamp">{visibleLine(snippet)}</p>}
          </li>
        ))}
      </ol>
      {sources.length > SHORT && (
        <div className="argot-box-foot">
          <button type="button" className="argot-link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? body.showLess : body.showMore(sources.length - SHORT)}
          </button>
        </div>
      )}
    </>
  )
}
