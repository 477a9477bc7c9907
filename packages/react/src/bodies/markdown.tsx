import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import type { MarkdownBodyProps } from './markdown-body.tsx'

const LazyMarkdown: ComponentType<MarkdownBodyProps> = lazy(() => import('./markdown-body.tsx'))

/** Markdown, loaded when the first text needs it. Until then the text is there as it was written. */
export function Markdown(props: MarkdownBodyProps): ReactNode {
  return (
    <Suspense fallback={<PlainProse text={props.text} />}>
      <LazyMarkdown {...props} />
    </Suspense>
  )
}

/** A text as it was written, in the type of answers: the same lines as Markdown gives for plain paragraphs. */
export function PlainProse({ text }: { text: string }): ReactNode {
  return (
    <div className="argot-prose">
      {text.split(/\n{2,}/).map((paragraph, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of a growing text never move
        <p key={index}>{paragraph}</p>
      ))}
    </div>
  )
}
