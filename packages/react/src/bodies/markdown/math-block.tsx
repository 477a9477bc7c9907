import type { ReactNode } from 'react'
import { mathFences } from './math-fences.ts'

export interface MathBlockProps {
  source: string
  draw: (source: string) => ReactNode
}

export default function MathBlock({ source, draw }: MathBlockProps): ReactNode {
  return draw(mathFences(source))
}
