import type { ReactNode } from 'react'
import { ComponentChunk, FromChunk } from '../component-chunk.tsx'
import type { HighlightedProps } from './highlighted.tsx'

export const highlighted: ComponentChunk<HighlightedProps> = new ComponentChunk(() => import('./highlighted.tsx'))

/** Highlighted code. The highlighter loads with the first code; until then the text is plain. */
export function Highlight(props: HighlightedProps): ReactNode {
  return <FromChunk chunk={highlighted} props={props} fallback={props.text} />
}
