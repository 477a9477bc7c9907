import { visibleText } from '@argot/core/stream'
import { Fragment, type ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { jsonText } from './json-text.ts'

const MOST_PAIRS = 6
const LONGEST_VALUE = 300

/** The entries of a small flat object, which reads best as two columns; undefined for any other value. */
export function toPairs(value: unknown): [name: string, text: string][] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const names = Object.keys(value)
  if (names.length === 0 || names.length > MOST_PAIRS) return undefined
  const pairs: [string, string][] = []
  for (const name of names) {
    const one: unknown = (value as Record<string, unknown>)[name]
    if (typeof one === 'object' && one !== null) return undefined
    const text = String(one)
    if (text.length > LONGEST_VALUE || text.includes('\n')) return undefined
    pairs.push([name, text])
  }
  return pairs
}

export interface PairsBodyProps {
  value: object
  name?: string | undefined
  /** For approvals: keys are shown exactly as written. */
  isAll?: boolean | undefined
}

export function PairsBody({ value, name, isAll }: PairsBodyProps): ReactNode {
  const { body } = usePartLocale()
  return (
    <BodyBox name={name} copy={() => jsonText(value)} copyName={name ?? body.result}>
      <dl className="argot-pairs" data-part="pairs">
        {(toPairs(value) ?? []).map(([key, text]) => (
          <Fragment key={key}>
            <dt title={visibleText(key)}>{visibleText(isAll === true ? key : describeKey(key))}</dt>
            <dd>{text === '' ? <span className="argot-dim">{body.emptyText}</span> : visibleText(text)}</dd>
          </Fragment>
        ))}
      </dl>
    </BodyBox>
  )
}

/** `zero_based` and `zeroBased` as "zero based". */
export function describeKey(key: string): string {
  return (
    key
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/_+/g, ' ')
      .trim()
      .toLowerCase() || key
  )
}
