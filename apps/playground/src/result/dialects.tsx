import type { ReactNode } from 'react'
import type { DialectReading } from '../reading/compare-dialects.ts'
import { listWords, plural } from '../state/words.ts'

interface DialectsProps {
  readings: readonly DialectReading[]
  syntax: string
  onChoose: (syntax: string) => void
}

export function Dialects({ readings, syntax, onChoose }: DialectsProps): ReactNode {
  const same = readings.filter(({ result }) => result === 'same')
  const other = readings.filter(({ result }) => result === 'other')
  const none = readings.filter(({ result }) => result === 'none')
  return (
    <>
      <Group title="Read the same" readings={same} syntax={syntax} onChoose={onChoose} />
      <Group title="Read differently" readings={other} syntax={syntax} onChoose={onChoose} />
      <details className="more">
        <summary>
          {none.length === readings.length
            ? 'No syntax reads a call'
            : `${plural(none.length, 'syntax').replace(/xs$/, 'xes')} read no call`}
        </summary>
        <Group title="" readings={none} syntax={syntax} onChoose={onChoose} />
      </details>
    </>
  )
}

function Group({ title, readings, syntax, onChoose }: DialectsProps & { title: string }): ReactNode {
  if (readings.length === 0) return null
  return (
    <div className="chips-group">
      {title !== '' && <p className="chips-title">{title}</p>}
      <ul className="chips">
        {readings.map(reading => (
          <li key={reading.syntax}>
            <button
              type="button"
              className="chip"
              aria-pressed={reading.syntax === syntax}
              title={describe(reading)}
              onClick={() => onChoose(reading.syntax === syntax ? 'auto' : reading.syntax)}
            >
              {reading.syntax}
              {reading.result === 'other' && <span className="meta"> {describe(reading)}</span>}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function describe({ toolNames, failed }: DialectReading): string {
  const calls = toolNames.length > 0 ? plural(toolNames.length, 'call') : ''
  return listWords([calls, failed > 0 ? `${failed} failed` : ''].filter(Boolean)) || 'no calls'
}
