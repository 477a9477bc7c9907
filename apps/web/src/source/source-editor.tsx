import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useWords } from '../locale/words.ts'
import { DiagnosticBox } from './diagnostic-box.tsx'
import { SourceLine } from './source-line.tsx'
import { findMarks } from './source-view.tsx'
import { type Finding, isOwn } from './use-findings.ts'
import { useHighlight } from './use-highlight.ts'

/** A longer text is edited without line numbers and marks. */
const MOST_LINES = 3000

export interface SourceEditorProps {
  document: string
  text: string
  findings: readonly Finding[]
  onFix: (finding: Finding) => (() => void) | undefined
  onChange: (text: string) => void
  onSave: () => void
}

export function SourceEditor(props: SourceEditorProps): ReactNode {
  const { document, text, findings, onFix, onChange, onSave } = props
  const words = useWords().source
  const field = useRef<HTMLTextAreaElement>(null)
  const lines = useMemo(() => text.split('\n'), [text])
  const getTokens = useHighlight(text, lines)
  const isPlain = lines.length > MOST_LINES
  const own = findings.filter(({ diagnostic }) => diagnostic.range !== undefined && isOwn(diagnostic, document))
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(0, 0)
  }, [])
  const go = (offset: number): void => {
    const element = field.current
    element?.focus()
    element?.setSelectionRange(offset, offset)
    const line = text.slice(0, offset).split('\n').length
    element?.parentElement?.querySelector(`.lines > li:nth-child(${line})`)?.scrollIntoView({ block: 'center' })
  }
  return (
    <>
      <div className="source-edit" data-plain={isPlain || undefined}>
        <div className="source-layers" dir="ltr">
          {!isPlain && (
            <ol className="lines" aria-hidden="true">
              {lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their number
                <li key={index}>
                  <SourceLine
                    text={line}
                    tokens={getTokens(index)}
                    marks={findMarks(
                      own.filter(({ diagnostic }) => diagnostic.range?.start.line === index + 1),
                      line,
                    )}
                  />
                </li>
              ))}
            </ol>
          )}
          <textarea
            ref={field}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            wrap="off"
            aria-label={words.textOf(document)}
            value={text}
            onChange={event => onChange(event.target.value)}
            onKeyDown={event => {
              if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
              event.preventDefault()
              onSave()
            }}
          />
        </div>
      </div>
      {findings.length > 0 && (
        <ul className="findings" aria-label={words.findings}>
          {findings.map((finding, index) => {
            const { range } = finding.diagnostic
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: findings have no names
              <li key={index}>
                <DiagnosticBox
                  diagnostic={finding.diagnostic}
                  onFix={onFix(finding)}
                  onGo={range && own.includes(finding) ? () => go(range.start.offset) : undefined}
                />
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}
