import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { ComponentChunk, FromChunk } from '../component-chunk.tsx'
import type { CompareBodyProps } from './compare-body.tsx'
import type { BodyKind } from './detect-kind.ts'
import type { ExchangeBodyProps } from './exchange-body.tsx'
import { KindFrame } from './kind-frame.tsx'
import type { SourcesBodyProps } from './sources-body.tsx'
import type { TableBodyProps } from './table-body.tsx'
import type { TestsBodyProps } from './tests-body.tsx'
import type { TraceBodyProps } from './trace-body.tsx'

// Each is loaded when the first output of its kind is shown.
export const testsBody: ComponentChunk<TestsBodyProps> = new ComponentChunk(() => import('./tests-body.tsx'))
export const traceBody: ComponentChunk<TraceBodyProps> = new ComponentChunk(() => import('./trace-body.tsx'))
export const tableBody: ComponentChunk<TableBodyProps> = new ComponentChunk(() => import('./table-body.tsx'))
export const sourcesBody: ComponentChunk<SourcesBodyProps> = new ComponentChunk(() => import('./sources-body.tsx'))
export const exchangeBody: ComponentChunk<ExchangeBodyProps> = new ComponentChunk(() => import('./exchange-body.tsx'))
export const compareBody: ComponentChunk<CompareBodyProps> = new ComponentChunk(() => import('./compare-body.tsx'))

export interface KindBodyProps {
  kind: BodyKind
  value: unknown
  name?: string | undefined
  meta?: ReactNode
}

export function KindBody({ kind, value, name, meta }: KindBodyProps): ReactNode {
  if (kind.kind === 'compare') return draw(kind, name, null)
  return (
    <KindFrame name={name} value={value} meta={meta}>
      <LoadedBody kind={kind} name={name} />
    </KindFrame>
  )
}

function LoadedBody({ kind, name }: Pick<KindBodyProps, 'kind' | 'name'>): ReactNode {
  const { body } = usePartLocale()
  return draw(kind, name, <p className="argot-quiet">{body.loading}</p>)
}

function draw(kind: BodyKind, name: string | undefined, fallback: ReactNode): ReactNode {
  switch (kind.kind) {
    case 'tests':
      return <FromChunk chunk={testsBody} props={{ run: kind.run }} fallback={fallback} />
    case 'trace':
      return <FromChunk chunk={traceBody} props={{ lines: kind.lines, name }} fallback={fallback} />
    case 'table':
      return <FromChunk chunk={tableBody} props={{ table: kind.table, name }} fallback={fallback} />
    case 'sources':
      return <FromChunk chunk={sourcesBody} props={{ sources: kind.sources }} fallback={fallback} />
    case 'http':
      return <FromChunk chunk={exchangeBody} props={{ exchange: kind.exchange }} fallback={fallback} />
    case 'compare':
      return (
        <FromChunk chunk={compareBody} props={{ before: kind.before, after: kind.after, name }} fallback={fallback} />
      )
  }
}
