import { visibleText } from '@argot/core/stream'
import { lineDiff } from '@argot/core/stream/internal'
import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import { OpenButton } from '../open-button.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import { useBrowserLayoutEffect } from '../use-browser-layout-effect.ts'
import { useSliced } from '../use-sliced.ts'
import { countChanged, type DiffRow, diffRows } from './diff-rows.ts'
import { diffFileName, parseUnifiedDiff } from './parse-unified-diff.ts'
import { type LineRow, sideRows } from './side-rows.ts'

/** More changed lines than this are only counted, until a reader asks to see them. */
const MOST_CHANGES = 2000
/** This many rows are drawn until a reader asks for more. */
const PAGE = 400
/** In a box at least this many pixels wide, old and new are side by side. */
const WIDE = 1000

export interface DiffBodyProps {
  /** In the unified format; alternatively, give the two texts. */
  diff?: string | undefined
  before?: string | undefined
  after?: string | undefined
  name?: string | undefined
  /** For approvals: nothing is folded. */
  isJudged?: boolean | undefined
  /** Draws every line of the diff, including those that are not lines of a file. */
  withHeads?: boolean | undefined
  /** Lines shown before "Show all". */
  lines?: number | undefined
  /** Replaces the diff's own state: called when a reader wants to see all of it. */
  onWhole?: ((isWhole: boolean) => void) | undefined
  /** Shown before the counts. */
  place?: string | undefined
  /** Replaces "Copy": the person's decision about this change. */
  choice?: ReactNode
}

/**
 * A change as a unified diff: line numbers, signs, marked words, folded unchanged lines. Computed in slices. In a box
 * at least 1 000 pixels wide, old and new are side by side.
 */
export default function DiffBody(props: DiffBodyProps): ReactNode {
  const {
    diff,
    before,
    after,
    name,
    isJudged = false,
    withHeads = false,
    lines = PAGE,
    onWhole,
    place: where,
    choice,
  } = props
  const { body, call } = usePartLocale()
  const [shownRows, setShownRows] = useBodyState('rows', useIsRevealed() ? Number.POSITIVE_INFINITY : 0)
  const key = useMemo(() => ({ diff, before, after }), [diff, before, after])
  const work = useMemo(() => ({ ...key, isJudged, withHeads }), [key, isJudged, withHeads])
  const { items, isDone } = useSliced(work, () => generateRows(work))
  const rows = isDone ? (items.at(-1) ?? []) : []
  const { added, removed } = useMemo(() => countChanged(rows), [rows])
  const isHuge = added + removed > MOST_CHANGES && shownRows === 0 && lines !== Number.POSITIVE_INFINITY
  const limit = Math.max(lines, shownRows)
  const title = name ?? (diff === undefined ? undefined : diffFileName(diff)) ?? body.diff
  const hiddenRows = rows.length - limit
  const [place, isWide] = useIsWide(WIDE)
  return (
    <BodyBox
      name={title}
      meta={[where, isDone ? call.diff(added, removed) : body.loading].filter(text => text !== undefined).join(' · ')}
      copy={choice === undefined ? () => diff ?? after ?? '' : undefined}
      copyName={body.diff}
      actions={
        <>
          {(isHuge || hiddenRows > 0) && <OpenButton source={() => ({ kind: 'diff', name: title, ...key })} />}
          {choice}
        </>
      }
      foot={
        (isHuge || hiddenRows > 0) && (
          <button
            type="button"
            className="argot-link"
            onClick={() =>
              onWhole === undefined || isHuge ? setShownRows(isHuge ? PAGE : limit + 5 * PAGE) : onWhole(true)
            }
          >
            {isHuge
              ? body.showAnyway
              : body.showMore(onWhole === undefined ? Math.min(hiddenRows, 5 * PAGE) : hiddenRows)}
          </button>
        )
      }
    >
      {isHuge ? (
        <p className="argot-quiet">{body.tooManyChanges(added, removed)}</p>
      ) : (
        <div ref={place}>
          <ScrollBox label={title}>
            {isWide ? <SideBySide rows={rows.slice(0, limit)} /> : <Rows rows={rows.slice(0, limit)} />}
          </ScrollBox>
        </div>
      )}
    </BodyBox>
  )
}

/** Yields nothing worth drawing until the last item, which is all rows. */
function* generateRows(props: DiffBodyProps): Generator<readonly DiffRow[]> {
  const { diff, before = '', after = '', isJudged = false, withHeads = false } = props
  // If only one of them ends with a line break, that is a change.
  const isOneOpen = before.endsWith('\n') !== after.endsWith('\n')
  const work =
    diff === undefined
      ? lineDiff(splitLines(visibleText(before), isOneOpen), splitLines(visibleText(after), isOneOpen))
      : parseUnifiedDiff(visibleText(diff), withHeads)
  for (;;) {
    const next = work.next()
    if (next.done !== true) yield []
    else {
      const runs = next.value
      // The two texts of an edit don't say where in the file they are.
      const from = isJudged ? { old: undefined, now: undefined } : { old: 1, now: 1 }
      const rows = diff === undefined ? diffRows(runs as Parameters<typeof diffRows>[0], from) : (runs as DiffRow[])
      yield isJudged ? rows.flatMap(row => (row.kind === 'skip' && row.rows.length > 0 ? row.rows : [row])) : rows
      return
    }
  }
}

function splitLines(text: string, isEndShown: boolean): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '' && !isEndShown) lines.pop()
  return lines
}

const signs = { context: ' ', added: '+', removed: '−' } as const

function Rows({ rows }: { rows: readonly DiffRow[] }): ReactNode {
  return (
    <table className="argot-diff" data-part="diff" role="presentation">
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of one diff never move
          <Row key={index} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function SideBySide({ rows }: { rows: readonly DiffRow[] }): ReactNode {
  const pairs = useMemo(() => sideRows(rows), [rows])
  return (
    <table className="argot-diff argot-diff-sides" data-part="diff" role="presentation">
      <tbody>
        {pairs.map((pair, index) =>
          pair.kind === 'over' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one diff never move
            <Row key={index} row={pair.row} columns={6} drawAll={shown => <SideRows rows={shown} />} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one diff never move
            <tr key={index}>
              <Side row={pair.old} />
              <Side row={pair.now} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  )
}

function SideRows({ rows }: { rows: readonly DiffRow[] }): ReactNode {
  return sideRows(rows).map((pair, index) =>
    pair.kind === 'over' ? null : (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows of one diff never move
      <tr key={index}>
        <Side row={pair.old} />
        <Side row={pair.now} />
      </tr>
    ),
  )
}

function Side({ row }: { row: LineRow | undefined }): ReactNode {
  if (row === undefined) return <td colSpan={3} className="argot-diff-none" />
  return (
    <>
      <td className={`argot-diff-number argot-side-${row.kind}`}>{row.number}</td>
      <td className={`argot-diff-sign argot-side-${row.kind}`}>{signs[row.kind]}</td>
      <td className={`argot-diff-text argot-side-${row.kind}`}>
        <Pieces pieces={row.pieces} />
      </td>
    </>
  )
}

function Pieces({ pieces }: { pieces: LineRow['pieces'] }): ReactNode {
  return pieces.map(({ text, isMarked }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line never move
    isMarked ? <mark key={index}>{text}</mark> : text,
  )
}

interface RowProps {
  row: DiffRow
  columns?: number
  /** Draws unchanged lines that a reader unfolds. */
  drawAll?: (rows: readonly DiffRow[]) => ReactNode
}

function Row({ row, columns = 3, drawAll }: RowProps): ReactNode {
  const { body } = usePartLocale()
  const [isOpened, setOpen] = useState(false)
  const isOpen = useIsRevealed() || isOpened
  if (row.kind === 'file') {
    return (
      <tr className="argot-diff-file">
        <td colSpan={columns}>{row.name}</td>
      </tr>
    )
  }
  if (row.kind === 'head') {
    return (
      <tr className="argot-diff-skip">
        <td colSpan={columns}>{row.text}</td>
      </tr>
    )
  }
  if (row.kind === 'skip') {
    if (isOpen && drawAll !== undefined) return drawAll(row.rows)
    // biome-ignore lint/suspicious/noArrayIndexKey: rows of one diff never move
    if (isOpen) return row.rows.map((one, index) => <Row key={index} row={one} />)
    return (
      <tr className="argot-diff-skip">
        <td colSpan={columns}>
          {row.rows.length === 0 ? (
            body.unchangedLines(row.count)
          ) : (
            <button type="button" className="argot-link" onClick={() => setOpen(true)}>
              {body.unchangedLines(row.count)}
            </button>
          )}
        </td>
      </tr>
    )
  }
  return (
    <tr className={`argot-diff-${row.kind}`}>
      <td className="argot-diff-number">{row.number}</td>
      <td className="argot-diff-sign">{signs[row.kind]}</td>
      <td className="argot-diff-text">
        <Pieces pieces={row.pieces} />
      </td>
    </tr>
  )
}

function useIsWide(width: number): [RefObject<HTMLDivElement | null>, boolean] {
  const element = useRef<HTMLDivElement>(null)
  const [isWide, setWide] = useState(false)
  useBrowserLayoutEffect(() => {
    if (element.current === null) return undefined
    setWide(element.current.clientWidth >= width)
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= width))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [width])
  return [element, isWide]
}
