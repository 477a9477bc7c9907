import type { ReactNode } from 'react'

export interface ChoiceProps {
  name: string
  value: string | number
  onChange: (value: string) => void
  children: ReactNode
}

/** A select as wide as its selected option. */
export function Choice({ name, value, onChange, children }: ChoiceProps): ReactNode {
  return (
    <span className="choice">
      <select aria-label={name} value={value} onChange={event => onChange(event.target.value)}>
        {children}
      </select>
      <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4.5 6.5L8 10l3.5-3.5" />
      </svg>
    </span>
  )
}
