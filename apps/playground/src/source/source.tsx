import { type ReactNode, type RefObject, useMemo } from 'react'
import type { ReadingView } from '../reading/view-at.ts'
import { LONGEST_TEXT } from '../state/limits.ts'
import type { ParsedTools } from '../state/parse-tools.ts'
import { shiftSegments } from '../state/shift-segments.ts'
import type { ReadingAnswers } from '../state/use-reading.ts'
import { formatCount } from '../state/words.ts'
import { Editor, LONGEST_COLOURED } from './editor.tsx'
import { Legend } from './legend.tsx'
import { Player } from './player.tsx'
import { ToolsField } from './tools-field.tsx'

interface SourceProps {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  answers: ReadingAnswers | undefined
  view: ReadingView | undefined
  cut: number
  toolsJson: string
  parsed: ParsedTools
  onText: (text: string) => void
  onTools: (json: string) => void
  onCut: (cut: number) => void
}

const none: never[] = []

export function Source(props: SourceProps): ReactNode {
  const { field, text, answers, view, cut, toolsJson, parsed, onText, onTools, onCut } = props
  const reading = answers?.reading
  const before = answers?.request.text ?? ''
  const segments = useMemo(() => {
    if (view === undefined || text.length > LONGEST_COLOURED) return none
    return shiftSegments(view.segments, before, text)
  }, [view, before, text])
  const failed = useMemo(
    () => new Set(reading?.calls.flatMap(({ failure }, index) => (failure === undefined ? [] : [index]))),
    [reading],
  )
  const isHeld = view?.segments.at(-1)?.kind === 'held'
  return (
    <section className="source" aria-labelledby="source-title">
      <div className="pane-head">
        <h2 id="source-title">What the model wrote</h2>
        <span className="meta">{formatCount(text.length)} characters</span>
        <button type="button" className="link" disabled={text === ''} onClick={() => onText('')}>
          Clear
        </button>
      </div>
      <Editor
        field={field}
        text={text}
        segments={segments}
        misses={before === text ? (reading?.misses ?? none) : none}
        failed={failed}
        cut={cut}
        onChange={onText}
      />
      <p id="editor-help" className="help">
        {describeLength(text.length)}
      </p>
      <Player
        length={text.length}
        cut={cut}
        segments={reading !== undefined && before === text ? reading.segments : none}
        failed={failed}
        isHeld={isHeld}
        onCut={onCut}
      />
      <Legend />
      <ToolsField json={toolsJson} parsed={parsed} onChange={onTools} />
    </section>
  )
}

function describeLength(length: number): string {
  if (length >= LONGEST_TEXT) return `The text was cut at ${formatCount(LONGEST_TEXT)} characters.`
  if (length > LONGEST_COLOURED)
    return `Texts over ${formatCount(LONGEST_COLOURED)} characters are shown without colours.`
  return ''
}
