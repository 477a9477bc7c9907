import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { type Citation, cite } from './cite.tsx'

export interface CitedProps {
  prose: ReactNode
  sources: readonly Citation[]
}

export default function Cited({ prose, sources }: CitedProps): ReactNode {
  const { body } = usePartLocale()
  return cite(prose, sources, body.cited)
}
