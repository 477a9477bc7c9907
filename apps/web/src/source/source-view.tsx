import { Fragment, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { DiagnosticBox } from './diagnostic-box.tsx'
import { type LineMark, SourceLine } from './source-line.tsx'
import { type Finding, isOwn } from './use-findings.ts'
import { useHighlight } from './use-highlight.ts'

/** This many lines are drawn until the reader asks for the rest. */
const MOST_LINES = 2000

export interface SourceViewProps {
  document: string
  text: string
  findings: readonly Finding[]
  onFix: (finding: Finding) => (() => void) | undefined
  onEdit: () => void
  /** A run appends to it: the view follows its end until the reader scrolls up. */
  isLive: boolean
}

export function SourceView(props: SourceViewProps): ReactNode {
  const { document, text, findings, onFix, onEdit, isLive } = props
  const words = useWords().source
  const follow = useFollow(isLive)
  const lines = useMemo(() => text.split('\n'), [text])
  const getTokens = useHighlight(text, lines)
  const [isWhole, setWhole] = useState(false)
  const { byLine, elsewhere } = useMemo(() => groupByLine(findings, document), [findings, document])
  const last = lines.at(-1) === '' && lines.length > 1 ? lines.length - 1 : lines.length
  const count = isWhole || isLive ? last : Math.min(last, MOST_LINES)
  const box = (finding: Finding, index: number): ReactNode => (
    <li className="lines-box" key={`box ${index}`}>
      <DiagnosticBox diagnostic={finding.diagnostic} onFix={onFix(finding)} />
    </li>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: it has no fields
    <div
      ref={follow.view}
      className="source-view"
      onScroll={follow.onScroll}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={words.textOf(document)}
      onKeyDown={event => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return
        event.preventDefault()
        onEdit()
      }}
    >
      <ol className="lines" dir="ltr">
        {elsewhere.map(box)}
        {lines.slice(0, count).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their number
          <Fragment key={index}>
            <li>
              <SourceLine text={line} tokens={getTokens(index)} marks={findMarks(byLine.get(index + 1), line)} />
            </li>
            {byLine.get(index + 1)?.map(box)}
          </Fragment>
        ))}
      </ol>
      {count < last && (
        <p className="lines-more">
          <button type="button" className="button" data-kind="small" onClick={() => setWhole(true)}>
            {words.showAllLines(last)}
          </button>
        </p>
      )}
    </div>
  )
}

/** The view is at the end if it is within this many pixels of it. */
const NEAR = 24

/** Keeps the end of a text in view while a run is live, unless the reader scrolls up. Lines get their heights late. */
function useFollow(isLive: boolean): { view: RefObject<HTMLDivElement | null>; onScroll(): void } {
  const view = useRef<HTMLDivElement>(null)
  const place = useRef({ isAtEnd: true, top: 0 })
  // A run's last text arrives after the run is over, so following continues.
  const [wasLive, setWasLive] = useState(isLive)
  if (isLive && !wasLive) setWasLive(true)
  useEffect(() => {
    const { current: element } = view
    const lines = element?.querySelector('.lines')
    if (!wasLive || element === null || !lines) return
    const observer = new ResizeObserver(() => {
      if (place.current.isAtEnd) element.scrollTop = element.scrollHeight
    })
    observer.observe(lines)
    return () => observer.disconnect()
  }, [wasLive])
  useEffect(() => {
    // A new run is followed from its beginning.
    if (isLive && view.current !== null) place.current = { isAtEnd: true, top: view.current.scrollTop }
  }, [isLive])
  return {
    view,
    onScroll() {
      const { current: element } = view
      if (element === null) return
      const { scrollTop, scrollHeight, clientHeight } = element
      const { isAtEnd, top } = place.current
      const isNear = scrollHeight - scrollTop - clientHeight <= NEAR
      place.current = { isAtEnd: isNear || (isAtEnd && scrollTop >= top), top: scrollTop }
    },
  }
}

/** The findings by line; those in other files, or without a place, separately. */
function groupByLine(
  findings: readonly Finding[],
  document: string,
): { byLine: Map<number, Finding[]>; elsewhere: Finding[] } {
  const byLine = new Map<number, Finding[]>()
  const elsewhere: Finding[] = []
  for (const finding of findings) {
    const { range } = finding.diagnostic
    if (range === undefined || !isOwn(finding.diagnostic, document)) elsewhere.push(finding)
    else byLine.set(range.start.line, [...(byLine.get(range.start.line) ?? []), finding])
  }
  return { byLine, elsewhere }
}

/** The underlined ranges of a line; a longer range stops at the line's end. */
export function findMarks(findings: readonly Finding[] | undefined, line: string): LineMark[] {
  return (findings ?? []).flatMap(({ diagnostic: { range, severity } }) => {
    if (range === undefined) return []
    const { start, end } = range
    const to = end.line === start.line ? end.column - 1 : line.length
    return [{ from: start.column - 1, to, isError: severity === 'error' }]
  })
}
