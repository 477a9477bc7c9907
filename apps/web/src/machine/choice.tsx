import type { ReactNode } from 'react'
import { Icon } from '../icon.tsx'

export interface ChoiceProps {
  name: string
  value: string | number
  onChange: (value: string) => void
  /** The options. */
  children: ReactNode
}

/** One of a few, as wide as what is chosen. */
export function Choice({ name, value, onChange, children }: ChoiceProps): ReactNode {
  return (
    <span className="choice">
      <select aria-label={name} value={value} onChange={event => onChange(event.target.value)}>
        {children}
      </select>
      <Icon name="down" />
    </span>
  )
}
