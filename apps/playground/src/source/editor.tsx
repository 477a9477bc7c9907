import { type ClipboardEvent, memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import type { NearMiss } from '../reading/reading.ts'
import type { ViewSegment } from '../reading/view-at.ts'
import { LONGEST_TEXT } from '../state/limits.ts'

/** Longer texts are shown without colours. */
export const LONGEST_COLOURED = 50_000
const MOST_SEGMENTS = 2000
const LONG_PASTE = 10_000

interface EditorProps {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  segments: readonly ViewSegment[]
  misses: readonly NearMiss[]
  failed: ReadonlySet<number>
  /** The text after this has not arrived. */
  cut: number
  onChange: (text: string) => void
}

/** The text in a field, with a tinted copy of the same text over it. */
export function Editor({ field, text, onChange, cut, segments, misses, failed }: EditorProps): ReactNode {
  // The field keeps its own text. As a prop, React would write it twice, which is slow for a long text.
  useLayoutEffect(() => {
    if (field.current !== null && field.current.value !== text) field.current.value = text
  }, [field, text])
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (cut < text.length && frame.current !== null) keepInView(frame.current)
  }, [cut, text])
  const isColoured = text.length <= LONGEST_COLOURED && segments.length <= MOST_SEGMENTS
  return (
    <div ref={frame} className="editor" data-plain={isColoured ? undefined : ''}>
      <textarea
        ref={field}
        className="editor-field"
        aria-label="What the model wrote"
        aria-describedby="editor-help"
        maxLength={LONGEST_TEXT}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        dir="auto"
        placeholder="Paste what a model wrote …"
        onChange={event => onChange(event.target.value)}
        onPaste={event => pasteLong(event, onChange)}
      />
      {isColoured && <Tints text={text} segments={segments} misses={misses} failed={failed} cut={cut} />}
    </div>
  )
}

/** Scrolls to the end of the arrived text if that is out of sight. */
function keepInView(frame: HTMLElement): void {
  const [first] = frame.querySelector('[data-kind="future"]')?.getClientRects() ?? []
  if (first === undefined) return
  const top = first.top - frame.getBoundingClientRect().top
  if (top < 0 || top > frame.clientHeight - first.height) frame.scrollTop += top - frame.clientHeight / 2
}

/** Browsers take minutes to paste many lines into a field, so a long text is set instead. */
function pasteLong(event: ClipboardEvent<HTMLTextAreaElement>, onChange: (text: string) => void): void {
  const pasted = event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n')
  if (pasted.length < LONG_PASTE) return
  event.preventDefault()
  const { value, selectionStart, selectionEnd } = event.currentTarget
  onChange(`${value.slice(0, selectionStart)}${pasted}${value.slice(selectionEnd)}`.slice(0, LONGEST_TEXT))
}

type TintsProps = Pick<EditorProps, 'text' | 'segments' | 'misses' | 'failed' | 'cut'>

const Tints = memo(({ text, segments, misses, failed, cut }: TintsProps): ReactNode => {
  const pieces = useMemo(() => cutPieces(segments, misses, text.length), [segments, misses, text])
  return (
    <div className="editor-tints" aria-hidden="true" dir="auto">
      {pieces.map(({ kind, start, end, index, isMiss }) => (
        <span
          key={start}
          className="tint"
          data-kind={kind === 'call' && failed.has(index ?? -1) ? 'failed' : kind}
          data-miss={isMiss ? '' : undefined}
        >
          {text.slice(start, end)}
        </span>
      ))}
      {cut < text.length && (
        <span className="tint" data-kind="future">
          {text.slice(Math.max(cut, pieces.at(-1)?.end ?? 0))}
        </span>
      )}
      {'\n'}
    </div>
  )
})

interface EditorPiece extends ViewSegment {
  isMiss: boolean
}

/** The segments, with the names of near misses as separate pieces. */
function cutPieces(segments: readonly ViewSegment[], misses: readonly NearMiss[], length: number): EditorPiece[] {
  const pieces: EditorPiece[] = []
  for (const segment of segments) {
    let { start } = segment
    const end = Math.min(segment.end, length)
    for (const { offset, toolName } of misses) {
      const stop = Math.min(offset + toolName.length, end)
      if (offset < start || stop <= offset) continue
      if (offset > start) pieces.push({ ...segment, start, end: offset, isMiss: false })
      pieces.push({ ...segment, start: offset, end: stop, isMiss: true })
      start = stop
    }
    if (start < end) pieces.push({ ...segment, start, end, isMiss: false })
  }
  return pieces
}
