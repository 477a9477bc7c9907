import type { ReactNode } from 'react'
import { Icon } from '../frame/icon.tsx'

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
      <Icon name="down" />
    </span>
  )
}
