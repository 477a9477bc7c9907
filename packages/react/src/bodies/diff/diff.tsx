import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { ComponentChunk, FromChunk } from '../component-chunk.tsx'
import type { DiffBodyProps } from './diff-body.tsx'

export const diffBody: ComponentChunk<DiffBodyProps> = new ComponentChunk(() => import('./diff-body.tsx'))

/** A change, loaded when the first call needs it. */
export function Diff(props: DiffBodyProps): ReactNode {
  const { body } = usePartLocale()
  const fallback = <BodyBox name={props.name ?? body.diff} meta={body.loading} actions={props.choice} />
  return <FromChunk chunk={diffBody} props={props} fallback={fallback} />
}
