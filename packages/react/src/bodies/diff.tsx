import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { useLocale } from '../locale/locale-context.ts'
import { BodyBox } from './body-box.tsx'
import type { DiffBodyProps } from './diff-body.tsx'

const LazyDiff: ComponentType<DiffBodyProps> = lazy(() => import('./diff-body.tsx'))

/** A change, loaded when the first call needs it. */
export function Diff(props: DiffBodyProps): ReactNode {
  const { body } = useLocale()
  return (
    <Suspense fallback={<BodyBox name={props.name ?? body.diff} meta={body.loading} />}>
      <LazyDiff {...props} />
    </Suspense>
  )
}
