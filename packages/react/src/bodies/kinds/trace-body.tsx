import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { ScrollBox } from '../scroll-box.tsx'
import type { TraceLine } from './read-trace.ts'
import { TraceLines } from './trace-lines.tsx'

export interface TraceBodyProps {
  lines: readonly TraceLine[]
  name?: string | undefined
}

export default function TraceBody({ lines, name }: TraceBodyProps): ReactNode {
  const { body } = usePartLocale()
  return (
    <ScrollBox label={name ?? body.error}>
      <TraceLines lines={lines} />
    </ScrollBox>
  )
}
