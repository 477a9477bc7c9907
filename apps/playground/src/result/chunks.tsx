import { visibleText } from '@argot/core/stream'
import type { ReactNode } from 'react'
import type { Reading } from '../reading/reading.ts'
import { eventsUntil, type ReadingView } from '../reading/view-at.ts'
import { plural } from '../state/words.ts'

const MOST = 40

export function Chunks({ reading, view }: { reading: Reading; view: ReadingView }): ReactNode {
  const events = eventsUntil(reading, view.isEnded ? reading.length + 1 : view.cut)
  const rows = events
    .slice(-MOST)
    .flatMap(({ at, chunks }) =>
      chunks.map((chunk, index) => ({ key: `${at}-${index}`, at: Math.min(at, reading.length), chunk })),
    )
  return (
    <details className="more">
      <summary>{plural(view.chunks, 'chunk')} so far</summary>
      <ol className="chunks">
        {rows.slice(-MOST).map(({ key, at, chunk: { type, ...rest } }) => (
          <li key={key}>
            <span className="chunk-at">{at}</span>
            <span className="chunk-type">{type}</span>
            <span className="chunk-rest">{visibleText(JSON.stringify(rest)).slice(0, 400)}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}
