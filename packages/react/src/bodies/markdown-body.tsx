import { compiler } from 'markdown-to-jsx/react'
import { memo, type ReactNode, useRef } from 'react'
import remend from 'remend'
import { usePartLocale } from '../locale/locale-context.ts'
import { CopyButton } from './copy-button.tsx'
import { foreignHost, ImageBody } from './image-body.tsx'
import { linkDefinitions, type MarkdownBlocks, markdownBlocks, noBlocks } from './markdown-blocks.ts'
import { safeUrl } from './safe-url.ts'

export interface MarkdownBodyProps {
  text: string
  /** The text still grows: what its end leaves open is closed for the eye. */
  isStreaming?: boolean | undefined
}

/**
 * Markdown. While it streams, only its last block is read and drawn again; HTML in it is shown as text, links lead
 * nowhere dangerous, and pictures of other origins wait for a click.
 */
export default function MarkdownBody({ text, isStreaming = false }: MarkdownBodyProps): ReactNode {
  const read = useRef<MarkdownBlocks>(noBlocks)
  read.current = markdownBlocks(text, read.current)
  const { blocks } = read.current
  const definitions = linkDefinitions(blocks)
  return (
    <div className="argot-prose">
      {blocks.map((block, index) => {
        const isOpen = isStreaming && index === blocks.length - 1
        const source = definitions !== '' && block.includes('[') ? block + definitions : block
        // biome-ignore lint/suspicious/noArrayIndexKey: finished blocks never move
        return <MarkdownBlock key={index} source={isOpen ? remend(source) : source} />
      })}
    </div>
  )
}

const MarkdownBlock = memo(function MarkdownBlock({ source }: { source: string }): ReactNode {
  return compiler(source, {
    wrapper: null,
    forceBlock: true,
    disableParsingRawHTML: true,
    sanitizer: value => safeUrl(value) ?? null,
    overrides: {
      a: { component: Link },
      img: { component: Picture },
      pre: { component: Code },
      table: { component: Table },
    },
  })
})

function Link({ href, title, children }: { href?: string; title?: string; children?: ReactNode }): ReactNode {
  const url = typeof href === 'string' ? safeUrl(href) : undefined
  if (url === undefined) return <span>{children}</span>
  return (
    <a
      href={url}
      title={title}
      rel="noopener noreferrer"
      target={foreignHost(url) === undefined ? undefined : '_blank'}
    >
      {children}
    </a>
  )
}

function Picture({ src, alt }: { src?: string; alt?: string }): ReactNode {
  const { body } = usePartLocale()
  const url = typeof src === 'string' ? (/^data:image\//i.test(src) ? src : safeUrl(src)) : undefined
  return url === undefined ? <span>{alt}</span> : <ImageBody image={{ url }} name={alt || body.image} />
}

function Code({ children }: { children?: ReactNode }): ReactNode {
  const box = useRef<HTMLPreElement>(null)
  const { body } = usePartLocale()
  return (
    <div className="argot-code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre ref={box} tabIndex={0}>
        {children}
      </pre>
      <CopyButton name={body.diff} value={() => box.current?.textContent ?? ''} />
    </div>
  )
}

function Table({ children }: { children?: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="argot-table" tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}
