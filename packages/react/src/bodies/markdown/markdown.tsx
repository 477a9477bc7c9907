import { type ReactNode, useContext } from 'react'
import { ComponentChunk, FromChunk } from '../component-chunk.tsx'
import { FencesContext } from './fences.ts'
import type { MarkdownBodyProps } from './markdown-body.tsx'

export const markdownBody: ComponentChunk<MarkdownBodyProps> = new ComponentChunk(() => import('./markdown-body.tsx'))

export function preloadMarkdown(): void {
  markdownBody.preload()
}

/** Markdown, loaded when the first text needs it. Until then the text is shown as written. */
export function Markdown(props: MarkdownBodyProps): ReactNode {
  const outer = useContext(FencesContext)
  return (
    <FencesContext.Provider value={props.fences ?? outer}>
      <FromChunk chunk={markdownBody} props={props} fallback={<PlainProse text={props.text} />} />
    </FencesContext.Provider>
  )
}

/** A text as written, in the answer font: the same lines that Markdown gives for plain paragraphs. */
export function PlainProse({ text }: { text: string }): ReactNode {
  return (
    <div className="argot-prose" data-part="prose">
      {text.split(/\n{2,}/).map((paragraph, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of a growing text never move
        <p key={index}>{paragraph}</p>
      ))}
    </div>
  )
}
