import type { ReactNode } from 'react'

const kinds = [
  ['call', 'Call'],
  ['failed', 'Failed call'],
  ['example', 'Example, never run'],
  ['reasoning', 'Reasoning'],
  ['held', 'Held back'],
] as const

/** What the colours mean. They only repeat what the list next to the text says in words. */
export function Legend(): ReactNode {
  return (
    <ul className="legend" aria-label="Text colours">
      {kinds.map(([kind, word]) => (
        <li key={kind}>
          <span className="tint" data-kind={kind} aria-hidden="true">
            ab
          </span>
          {word}
        </li>
      ))}
      <li>
        <span className="tint" data-miss="" aria-hidden="true">
          ab
        </span>
        Near miss
      </li>
    </ul>
  )
}
