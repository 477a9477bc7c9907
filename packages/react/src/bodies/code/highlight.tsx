import type { ReactNode } from 'react'
import { Chunk, FromChunk } from '../chunk.tsx'
import type { HighlightedProps } from './highlighted.tsx'

export const highlighted: Chunk<HighlightedProps> = new Chunk(() => import('./highlighted.tsx'))

/** Code with its tokens told apart, loaded when the first code needs it. Until then the text is there as it is. */
export function Highlight(props: HighlightedProps): ReactNode {
  return <FromChunk chunk={highlighted} props={props} fallback={props.text} />
}
