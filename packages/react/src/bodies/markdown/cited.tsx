import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { type Citation, cite } from './cite.tsx'

export interface CitedProps {
  /** A block of Markdown, drawn. */
  drawn: ReactNode
  sources: readonly Citation[]
}

/** A block whose marks lead to sources. */
export default function Cited({ drawn, sources }: CitedProps): ReactNode {
  const { body } = usePartLocale()
  return cite(drawn, sources, body.cited)
}
