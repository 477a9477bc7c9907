import type { ReactNode } from 'react'
import { usePartLocale } from '../locale/part-locale.ts'
import { BodyBox } from './body-box.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { firstLines } from './text/cut-text.ts'

const MOST = 40
const LONGEST = 8000

export interface FaultBodyProps {
  text: string
  /** Counted from 1. */
  line?: number | undefined
}

export function FaultBody({ text, line }: FaultBodyProps): ReactNode {
  const { card } = usePartLocale()
  const visibleText = firstLines(text, Math.max(MOST, (line ?? 0) + 3), LONGEST)
  const lines = visibleText.split('\n')
  return (
    <BodyBox name={card.modelWrote} copy={() => text}>
      <ScrollBox label={card.modelWrote}>
        <pre>
          {line === undefined || line < 1 || line > lines.length ? (
            visibleText
          ) : (
            <>
              {lines.slice(0, line - 1).map(one => `${one}\n`)}
              <mark className="argot-fault">{lines[line - 1] === '' ? ' ' : lines[line - 1]}</mark>
              {lines.slice(line).map(one => `\n${one}`)}
            </>
          )}
        </pre>
      </ScrollBox>
    </BodyBox>
  )
}
