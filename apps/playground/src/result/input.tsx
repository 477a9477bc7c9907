import { visibleText } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'

const LONGEST = 4000

interface InputProps {
  input: unknown
  isPartial?: boolean
}

export function Input({ input, isPartial = false }: InputProps): ReactNode {
  if (!isRecord(input)) {
    return input === undefined ? null : <Value value={input} />
  }
  const entries = Object.entries(input)
  if (entries.length === 0) return <p className="meta">{isPartial ? 'No parameters yet' : 'No parameters'}</p>
  return (
    <dl className="input">
      {entries.slice(0, 100).map(([key, value]) => (
        <div key={key} className="input-row">
          <dt>{visibleText(key)}</dt>
          <dd>
            <Value value={value} />
            <span className="type">{typeName(value)}</span>
          </dd>
        </div>
      ))}
      {entries.length > 100 && <p className="meta">and {entries.length - 100} more</p>}
    </dl>
  )
}

function Value({ value }: { value: unknown }): ReactNode {
  const isText = typeof value === 'string' && value.includes('\n')
  const text = isText ? value : JSON.stringify(value, null, isFlat(value) ? 0 : 2)
  const visible = visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
  return (
    <pre className="value" data-block={visible.includes('\n') ? '' : undefined} data-type={typeName(value)}>
      {visible}
    </pre>
  )
}

function isFlat(value: unknown): boolean {
  return JSON.stringify(value).length < 72
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
