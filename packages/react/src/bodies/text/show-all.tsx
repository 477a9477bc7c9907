import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { byteLength, countLines } from './cut-text.ts'

export interface ShowAllProps {
  text: string
  isShown: boolean
  onToggle: (isShown: boolean) => void
}

export function ShowAll({ text, isShown, onToggle }: ShowAllProps): ReactNode {
  const { body, call } = usePartLocale()
  return (
    <button type="button" className="argot-link" onClick={() => onToggle(!isShown)} aria-expanded={isShown}>
      {isShown ? body.showLess : body.showAll(call.count(countLines(text), 'line'), body.bytes(byteLength(text)))}
    </button>
  )
}
