import { visibleText } from '@argot/core/stream'
import { type ReactNode, useMemo } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import type { TraceLine } from './read-trace.ts'

/** Fewer library frames in a row are not folded. */
const FEWEST_FOLDED = 3

export interface TraceLinesProps {
  lines: readonly TraceLine[]
  /** Distinguishes several traces in one body. */
  id?: string | undefined
}

/** A trace's lines: the project's own frames are dark, library frames dim, and long rows of library frames folded. */
export function TraceLines({ lines, id = '' }: TraceLinesProps): ReactNode {
  const { body } = usePartLocale()
  const [isWhole, setWhole] = useBodyState(`frames${id}`, useIsRevealed())
  const groups = useMemo(() => groupLines(lines), [lines])
  return (
    <pre className="argot-trace" data-part="trace">
      {groups.map(({ kind, texts }, index) =>
        kind === 'library' && texts.length >= FEWEST_FOLDED && !isWhole ? (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one trace never move
            key={index}
            type="button"
            className="argot-link"
            aria-expanded={false}
            onClick={() => setWhole(true)}
          >
            {body.libraryFrames(texts.length)}
          </button>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one trace never move
          <span key={index} className={`argot-trace-${kind}`}>
            {`${visibleText(texts.join('\n'))}\n`}
          </span>
        ),
      )}
    </pre>
  )
}

function groupLines(lines: readonly TraceLine[]): { kind: TraceLine['kind']; texts: string[] }[] {
  const groups: { kind: TraceLine['kind']; texts: string[] }[] = []
  for (const { kind, text } of lines) {
    const last = groups.at(-1)
    if (last?.kind === kind) last.texts.push(text)
    else groups.push({ kind, texts: [text] })
  }
  return groups
}
