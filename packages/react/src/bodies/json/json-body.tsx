import { visibleText } from '@argot/core/stream'
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import { useSliced } from '../use-sliced.ts'
import { type JsonRow, jsonRows } from './json-rows.ts'
import { jsonText } from './json-text.ts'
import { PairsBody, toPairs } from './pairs-body.tsx'

/** This many lines of a tree are drawn until a reader asks for more. */
const PAGE = 200
/** And this many if a reader wants to see all of it. */
export const MOST_ROWS = 5000
const DEEPEST_INDENT = 12

export interface JsonBodyProps {
  value: unknown
  name?: string | undefined
  /** The value still grows: a caret is after its last line. */
  isGrowing?: boolean | undefined
  /** For approvals: every level is open and every text complete. */
  isAll?: boolean | undefined
  /** Lines shown until a reader asks for more. */
  lines?: number | undefined
  /** Replaces the tree's own state: called when a reader wants to see all of it. */
  onWhole?: ((isWhole: boolean) => void) | undefined
}

/** A value: a small flat object as two columns, otherwise a tree with two levels open. "Copy" copies the value. */
export function JsonBody(props: JsonBodyProps): ReactNode {
  const { value, name, isGrowing = false } = props
  if (!isGrowing && toPairs(value) !== undefined)
    return <PairsBody value={value as object} name={name} isAll={props.isAll} />
  return <JsonTree {...props} />
}

const nothingToggled: ReadonlySet<string> = new Set()

function JsonTree(props: JsonBodyProps): ReactNode {
  const { value, name, isGrowing = false, lines = PAGE, onWhole } = props
  const { body } = usePartLocale()
  const isRevealed = useIsRevealed()
  const isAll = props.isAll === true || isRevealed
  const [toggled, setToggled] = useBodyState('toggled', nothingToggled)
  const [more, setMore] = useBodyState('more', 0)
  const limit = Math.min(isRevealed ? MOST_ROWS : lines, MOST_ROWS) + more
  const key = useMemo(() => ({ value, toggled, limit, isAll }), [value, toggled, limit, isAll])
  const { items, isDone } = useSliced(key, () => takeFirst(jsonRows(value, toggled, isAll), limit + 1))
  const newest = useRef({ toggled, setToggled })
  useEffect(() => {
    newest.current = { toggled, setToggled }
  })
  const toggle = useCallback((path: string) => {
    const paths = new Set(newest.current.toggled)
    if (!paths.delete(path)) paths.add(path)
    newest.current.setToggled(paths)
  }, [])
  const isCut = isDone && items.length > limit
  const empty = Array.isArray(value) ? body.emptyList : body.emptyObject
  return (
    <BodyBox
      name={name ?? body.result}
      copy={() => jsonText(value)}
      foot={
        isCut && (
          <button
            type="button"
            className="argot-link"
            onClick={() => (onWhole === undefined || lines > MOST_ROWS ? setMore(more + 5 * PAGE) : onWhole(true))}
          >
            {onWhole === undefined || lines > MOST_ROWS ? body.showMore(5 * PAGE) : body.showEverything}
          </button>
        )
      }
    >
      <div className="argot-tree" data-part="tree">
        {items.length === 0 && !isGrowing && <span className="argot-dim">{empty}</span>}
        {items.slice(0, limit).map(row => (
          <Row key={row.path} {...row} isAll={isAll} toggle={toggle} />
        ))}
        {isGrowing && <span className="argot-caret" />}
      </div>
    </BodyBox>
  )
}

function* takeFirst<T>(items: Iterable<T>, count: number): Generator<T> {
  let rest = count
  for (const item of items) {
    if (rest-- <= 0) return
    yield item
  }
}

const Row = memo(function Row({
  path,
  depth,
  name,
  kind,
  count,
  isOpen,
  text,
  isString,
  isAll,
  toggle,
}: JsonRow & { isAll: boolean; toggle: (path: string) => void }): ReactNode {
  const { body } = usePartLocale()
  const [isLong, setLong] = useState(false)
  const indent = `argot-depth-${Math.min(depth, DEEPEST_INDENT)}`
  if (kind === 'leaf') {
    return (
      <div className={`argot-leaf ${indent}`}>
        {name !== undefined && <span className="argot-key">{visibleText(name)}</span>}
        {isString && text.length > 120 && !isAll ? (
          <button
            type="button"
            className={isLong ? 'argot-value argot-value-button' : 'argot-value argot-value-button argot-clamp'}
            aria-expanded={isLong}
            onClick={() => setLong(!isLong)}
          >
            {`"${visibleText(text)}"`}
          </button>
        ) : (
          <span className="argot-value">{isString ? `"${visibleText(text)}"` : text}</span>
        )}
      </div>
    )
  }
  const counted = kind === 'list' ? body.items(count) : body.keys(count)
  return (
    <button
      type="button"
      className={`argot-branch ${indent}`}
      aria-expanded={isOpen}
      onClick={() => toggle(path)}
      disabled={count === 0}
    >
      <svg className="argot-glyph argot-chevron" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M6.25 4l4 4-4 4" />
      </svg>
      <span className="argot-key">{name !== undefined && visibleText(name)}</span>{' '}
      <span className="argot-count">{counted}</span>
    </button>
  )
})
