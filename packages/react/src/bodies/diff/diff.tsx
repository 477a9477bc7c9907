import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/locale-context.ts'
import { BodyBox } from '../body-box.tsx'
import { Chunk, FromChunk } from '../chunk.tsx'
import type { DiffBodyProps } from './diff-body.tsx'

const diffBody = new Chunk<DiffBodyProps>(() => import('./diff-body.tsx'))

/** A change, loaded when the first call needs it. */
export function Diff(props: DiffBodyProps): ReactNode {
  const { body } = usePartLocale()
  const fallback = <BodyBox name={props.name ?? body.diff} meta={body.loading} />
  return <FromChunk chunk={diffBody} props={props} fallback={fallback} />
}
