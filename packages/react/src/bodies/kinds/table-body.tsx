import { visibleLine } from '@argot/core/stream/internal'
import { Fragment, memo, type ReactNode, useMemo } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { useBodyState } from '../body-state.tsx'
import { CopyButton } from '../copy-button.tsx'
import { toCsv } from '../to-csv.ts'
import { useSliced } from '../use-sliced.ts'
import { cellText, compareCells, type Table } from './read-table.ts'

/** Rows before "Show all", and the most after it: a browser can't draw more in reasonable time. */
const SHORT_ROWS = 20
const MOST_ROWS = 5000
const LONGEST_CELL = 300

export interface TableBodyProps {
  table: Table
  name?: string | undefined
}

interface Order {
  column: number
  isDescending: boolean
}

export default function TableBody({ table, name }: TableBodyProps): ReactNode {
  const { body, call } = usePartLocale()
  const [order, setOrder] = useBodyState<Order | null>('order', null)
  const [isWhole, setWhole] = useBodyState('rows', false)
  const rows = useMemo(() => sortRows(table, order), [table, order])
  const count = isWhole ? Math.min(rows.length, MOST_ROWS) : Math.min(rows.length, SHORT_ROWS)
  const { items } = useSliced(
    useMemo(() => ({ rows, count }), [rows, count]),
    () => rows.slice(0, count).values(),
  )
  const press = (column: number): void =>
    setOrder(
      order?.column !== column
        ? { column, isDescending: false }
        : order.isDescending
          ? null
          : { column, isDescending: true },
    )
  return (
    <>
      {table.rest.length > 0 && (
        <dl className="argot-pairs">
          {table.rest.map(([key, text]) => (
            <Fragment key={key}>
              <dt>{visibleLine(key)}</dt>
              <dd>{visibleLine(text)}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: neither a landmark nor fields */}
      <div className="argot-grid" data-part="grid" role="group" tabIndex={0} aria-label={name ?? body.result}>
        <table>
          <thead>
            <tr>
              {table.columns.map((column, at) => (
                <th
                  key={column}
                  scope="col"
                  data-number={table.numeric[at] ? '' : undefined}
                  aria-sort={order?.column !== at ? undefined : order.isDescending ? 'descending' : 'ascending'}
                >
                  <button type="button" className="argot-sort" onClick={() => press(at)}>
                    {visibleLine(column.slice(0, LONGEST_CELL)) || body.emptyText}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
              <Row key={index} row={row} numeric={table.numeric} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="argot-box-foot">
        <span className="argot-dim">{body.rows(rows.length)}</span>
        {rows.length > SHORT_ROWS && (
          <button type="button" className="argot-link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? body.showLess : body.showRows(Math.min(rows.length, MOST_ROWS))}
          </button>
        )}
        {isWhole && rows.length > MOST_ROWS && (
          <span className="argot-dim">{`⋯ ${call.number(rows.length - MOST_ROWS)}. ${body.restInText}`}</span>
        )}
        <CopyButton name={body.copyCsv} value={() => toCsv([table.columns, ...rows])}>
          {body.copyCsv}
        </CopyButton>
      </div>
    </>
  )
}

const Row = memo(function Row({ row, numeric }: { row: readonly unknown[]; numeric: readonly boolean[] }): ReactNode {
  return (
    <tr>
      {row.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
        <td key={at} data-number={numeric[at] ? '' : undefined}>
          <Cell value={value} />
        </td>
      ))}
    </tr>
  )
})

function Cell({ value }: { value: unknown }): ReactNode {
  const text = cellText(value)
  if (text === '') return null
  const short = visibleLine(text.slice(0, LONGEST_CELL).toWellFormed())
  return <div>{text.length > LONGEST_CELL ? `${short}…` : short}</div>
}

/** Sorting is stable: equal rows keep their original order. */
function sortRows({ rows }: Table, order: Order | null): Table['rows'] {
  if (order === null) return rows
  const { column, isDescending } = order
  return rows.toSorted((one, two) => {
    const [a, b] = [one[column], two[column]]
    const isGap = (value: unknown): boolean => value === undefined || value === null
    return isDescending && !isGap(a) && !isGap(b) ? compareCells(b, a) : compareCells(a, b)
  })
}
