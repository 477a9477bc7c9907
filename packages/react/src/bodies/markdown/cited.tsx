import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { type Citation, cite } from './cite.tsx'

export interface CitedProps {
  drawn: ReactNode
  sources: readonly Citation[]
}

export default function Cited({ drawn, sources }: CitedProps): ReactNode {
  const { body } = usePartLocale()
  return cite(drawn, sources, body.cited)
}
