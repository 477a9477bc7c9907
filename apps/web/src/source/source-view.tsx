import { Fragment, type ReactNode, useMemo, useState } from 'react'
import { DiagnosticBox } from './diagnostic-box.tsx'
import { type LineMark, SourceLine } from './source-line.tsx'
import { type Finding, isOwn } from './use-findings.ts'
import { useHighlight } from './use-highlight.ts'

/** This many lines are drawn before somebody asks for the others. */
const MOST = 2000

export interface SourceViewProps {
  document: string
  text: string
  findings: readonly Finding[]
  onFix: (finding: Finding) => (() => void) | undefined
  onEdit: () => void
}

/** The text to be read: numbered lines, and what is wrong in a box under its line. */
export function SourceView({ document, text, findings, onFix, onEdit }: SourceViewProps): ReactNode {
  const lines = useMemo(() => text.split('\n'), [text])
  const tokensOf = useHighlight(text, lines)
  const [isWhole, setWhole] = useState(false)
  const { byLine, elsewhere } = useMemo(() => placed(findings, document), [findings, document])
  const last = lines.at(-1) === '' && lines.length > 1 ? lines.length - 1 : lines.length
  const count = isWhole ? last : Math.min(last, MOST)
  const box = (finding: Finding, index: number): ReactNode => (
    <li className="lines-box" key={`box ${index}`}>
      <DiagnosticBox diagnostic={finding.diagnostic} onFix={onFix(finding)} />
    </li>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: it has no fields
    <div
      className="source-view"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={`Text of ${document}`}
      onKeyDown={event => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return
        event.preventDefault()
        onEdit()
      }}
    >
      <ol className="lines">
        {elsewhere.map(box)}
        {lines.slice(0, count).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their number
          <Fragment key={index}>
            <li>
              <SourceLine text={line} tokens={tokensOf(index)} marks={marksOf(byLine.get(index + 1), line)} />
            </li>
            {byLine.get(index + 1)?.map(box)}
          </Fragment>
        ))}
      </ol>
      {count < last && (
        <p className="lines-more">
          <button type="button" className="button" data-kind="small" onClick={() => setWhole(true)}>
            Show all {last.toLocaleString('en')} lines
          </button>
        </p>
      )}
    </div>
  )
}

/** What is wrong by the line it is under; what is wrong in other files, or nowhere, on its own. */
function placed(
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

/** What is underlined in a line: up to its end where the place goes further. */
export function marksOf(findings: readonly Finding[] | undefined, line: string): LineMark[] {
  return (findings ?? []).flatMap(({ diagnostic: { range, severity } }) => {
    if (range === undefined) return []
    const { start, end } = range
    const to = end.line === start.line ? end.column - 1 : line.length
    return [{ from: start.column - 1, to, isError: severity === 'error' }]
  })
}
