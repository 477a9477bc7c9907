import { memo, type ReactNode, useCallback, useState } from 'react'
import { usePartLocale } from '../locale/locale-context.ts'
import { BodyBox } from './body-box.tsx'
import { type JsonRow, jsonRows } from './json-rows.ts'
import { jsonText } from './json-text.ts'
import { PairsBody, pairsOf } from './pairs-body.tsx'
import { useSliced } from './use-sliced.ts'

/** So many lines of a tree are drawn before a reader asks for more. */
const page = 200
const deepestIndent = 12

export interface JsonBodyProps {
  value: unknown
  name?: string | undefined
  /** The value still grows: a caret stands after its last line. */
  isGrowing?: boolean | undefined
}

/** A value: a small flat object as two columns, else a tree with two levels open. "Copy" copies the value. */
export function JsonBody({ value, name, isGrowing = false }: JsonBodyProps): ReactNode {
  if (!isGrowing && pairsOf(value) !== undefined) return <PairsBody value={value as object} name={name} />
  return <JsonTree value={value} name={name} isGrowing={isGrowing} />
}

function JsonTree({ value, name, isGrowing = false }: JsonBodyProps): ReactNode {
  const { body } = usePartLocale()
  const [toggled, setToggled] = useState<{ value: unknown; paths: ReadonlySet<string>; shown: number }>({
    value,
    paths: new Set(),
    shown: page,
  })
  const state = toggled.value === value ? toggled : { ...toggled, value }
  if (state !== toggled) setToggled(state)
  const { items, isDone } = useSliced(state, () => firstOf(jsonRows(value, state.paths), state.shown + 1))
  const toggle = useCallback((path: string) => {
    setToggled(before => {
      const paths = new Set(before.paths)
      if (!paths.delete(path)) paths.add(path)
      return { ...before, paths }
    })
  }, [])
  const isCut = isDone && items.length > state.shown
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
            onClick={() => setToggled({ ...state, shown: state.shown + 5 * page })}
          >
            {body.showMore(5 * page)}
          </button>
        )
      }
    >
      <div className="argot-tree">
        {items.length === 0 && !isGrowing && <span className="argot-dim">{empty}</span>}
        {items.slice(0, state.shown).map(row => (
          <Row key={row.path} {...row} toggle={toggle} />
        ))}
        {isGrowing && <span className="argot-caret" />}
      </div>
    </BodyBox>
  )
}

function* firstOf<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    if (left-- <= 0) return
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
  toggle,
}: JsonRow & { toggle: (path: string) => void }): ReactNode {
  const { body } = usePartLocale()
  const [isLong, setLong] = useState(false)
  const indent = `argot-depth-${Math.min(depth, deepestIndent)}`
  if (kind === 'leaf') {
    return (
      <div className={`argot-leaf ${indent}`}>
        {name !== undefined && <span className="argot-key">{name}</span>}
        {isString && text.length > 120 ? (
          <button
            type="button"
            className={isLong ? 'argot-value argot-value-button' : 'argot-value argot-value-button argot-clamp'}
            aria-expanded={isLong}
            onClick={() => setLong(!isLong)}
          >
            {`"${text}"`}
          </button>
        ) : (
          <span className="argot-value">{isString ? `"${text}"` : text}</span>
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
      <span className="argot-key">{name}</span> <span className="argot-count">{counted}</span>
    </button>
  )
})
