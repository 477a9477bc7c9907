import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { type Citation, cite } from './cite.tsx'

export interface CitedProps {
  /** A rendered block of Markdown. */
  drawn: ReactNode
  sources: readonly Citation[]
}

/** A block whose citation marks link to sources. */
export default function Cited({ drawn, sources }: CitedProps): ReactNode {
  const { body } = usePartLocale()
  return cite(drawn, sources, body.cited)
}
