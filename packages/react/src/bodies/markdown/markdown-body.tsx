import { compiler } from 'markdown-to-jsx/react'
import {
  isValidElement,
  memo,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import remend from 'remend'
import { usePartLocale } from '../../locale/part-locale.ts'
import { Highlight } from '../code/highlight.tsx'
import { ComponentChunk, FromChunk } from '../component-chunk.tsx'
import { CopyButton } from '../copy-button.tsx'
import { foreignHost, ImageBody } from '../image/image-body.tsx'
import { KeepSelection } from '../text/keep-selection.tsx'
import { toCsv } from '../to-csv.ts'
import type { Citation } from './cite.tsx'
import type { CitedProps } from './cited.tsx'
import type { FenceBodyProps } from './fence-body.tsx'
import { type Fences, FencesContext, findFence } from './fences.ts'
import { BlockReader, hasOpenFence, type MarkdownBlocks, plainBlock } from './markdown-blocks.ts'
import type { MathBlockProps } from './math-block.tsx'
import { safeUrl } from './safe-url.ts'

export interface MarkdownBodyProps {
  text: string
  /** The text still grows: unclosed marks at its end are closed for display. */
  isStreaming?: boolean | undefined
  /** The growing text, in place of `text`: only its last block renders when it changes. */
  live?: { subscribe: (listener: () => void) => () => void; get: () => string } | undefined
  /** Draws fences by language, in place of the surrounding chat's renderers. */
  fences?: Fences | undefined
  /** The text's sources: `[1]` links to the first. Pass the same list until it changes. */
  sources?: readonly Citation[] | undefined
}

/**
 * Markdown. While it streams, only its last block is parsed and drawn again. HTML is shown as text, links can't lead
 * anywhere dangerous, and pictures from other origins wait for a click.
 */
export default function MarkdownBody({ text, isStreaming = false, live, sources }: MarkdownBodyProps): ReactNode {
  const hasMath = findFence(useContext(FencesContext), 'math') !== undefined
  const reader = useMemo(() => new BlockReader(hasMath), [hasMath])
  const subscribe = live?.subscribe ?? never
  const read = useCallback(() => reader.read(live === undefined ? text : live.get()), [reader, live, text])
  const getCount = useCallback(() => read().blocks.length, [read])
  const getDefinitions = useCallback(() => {
    read()
    return reader.definitions(isStreaming)
  }, [read, reader, isStreaming])
  const count = useSyncExternalStore(subscribe, getCount, getCount)
  const definitions = useSyncExternalStore(subscribe, getDefinitions, getDefinitions)
  return (
    <div className="argot-prose" data-part="prose">
      {Array.from({ length: count }, (_, index) => {
        const isLast = index === count - 1
        return (
          <Block
            // biome-ignore lint/suspicious/noArrayIndexKey: finished blocks never move
            key={index}
            index={index}
            read={isLast ? read : undefined}
            source={isLast ? '' : reader.blocks[index]!}
            subscribe={isLast ? subscribe : never}
            definitions={definitions}
            isOpen={isLast && isStreaming}
            sources={sources}
          />
        )
      })}
    </div>
  )
}

const never = (): (() => void) => () => {}

interface BlockProps {
  index: number
  source: string
  /** Reads the whole text, if this is its last block. */
  read: (() => MarkdownBlocks) | undefined
  subscribe: (listener: () => void) => () => void
  definitions: string
  /** It still grows. */
  isOpen: boolean
  sources: readonly Citation[] | undefined
}

const Block = memo(function Block(props: BlockProps): ReactNode {
  const { index, source, read, subscribe, definitions, isOpen, sources } = props
  const get = useCallback(() => read?.().blocks[index] ?? source, [read, index, source])
  const block = useSyncExternalStore(subscribe, get, get)
  // The definitions come first, because a fence at the block's end may be open.
  const whole = definitions !== '' && block.includes('[') ? definitions + block : block
  return (
    <KeepSelection>
      <MarkdownBlock source={whole} isOpen={isOpen} sources={sources} />
    </KeepSelection>
  )
})

type MarkdownBlockProps = Pick<BlockProps, 'source' | 'isOpen' | 'sources'>

const MarkdownBlock = memo(function MarkdownBlock({ source, isOpen, sources }: MarkdownBlockProps): ReactNode {
  const fences = useContext(FencesContext)
  const draw = (text: string): ReactNode => compileBlock(text, isOpen, fences !== undefined)
  if (source.includes('$$') && findFence(fences, 'math') !== undefined) {
    return <FromChunk chunk={mathBlock} props={{ source, draw }} fallback={draw(source)} />
  }
  const prose = draw(source)
  if (sources === undefined || !/[[【]/.test(source)) return prose
  return <FromChunk chunk={cited} props={{ prose, sources }} fallback={prose} />
})

export const mathBlock: ComponentChunk<MathBlockProps> = new ComponentChunk(() => import('./math-block.tsx'))
export const cited: ComponentChunk<CitedProps> = new ComponentChunk(() => import('./cited.tsx'))

function compileBlock(source: string, isOpen: boolean, hasFences: boolean): ReactNode {
  const plain = plainBlock(source)
  // The same element that the compiler makes, so that the paragraph stays when its first mark is written.
  if (plain !== undefined) {
    return [<p key="0">{[plain]}</p>]
  }
  // Inline formulas are shown as written, so none of them is closed.
  return compiler(isOpen ? remend(source, { katex: false }) : source, {
    wrapper: null,
    forceBlock: true,
    disableParsingRawHTML: true,
    sanitizer: value => safeUrl(value) ?? null,
    overrides: {
      ...ownDirection,
      ...withoutId,
      a: { component: Link },
      img: { component: Picture },
      pre: { component: Fence, props: { isOpen: isOpen && hasFences && hasOpenFence(source) } },
      table: { component: Table },
    },
  })
}

/**
 * Blocks with list marks or a border on one side take the direction of their own first letter. All others get it from
 * the stylesheet: an element with its own `dir` is ignored when the block around it picks a direction.
 */
const ownDirection = Object.fromEntries(['ul', 'ol', 'blockquote'].map(tag => [tag, { props: { dir: 'auto' } }]))

/** Headings and footnotes have no id: the model would choose it, and it could clash with an element or a global. */
const withoutId = Object.fromEntries(
  ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'div'].map(tag => [tag, { props: { id: undefined } }]),
)

function Link({ href, title, children }: { href?: string; title?: string; children?: ReactNode }): ReactNode {
  const url = typeof href === 'string' ? safeUrl(href) : undefined
  // A position in the text has no address, and the page may use `#` for its own routes.
  if (url === undefined || url.startsWith('#')) return <span>{children}</span>
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

/** A code block, or the application's rendering of it once it is complete. */
function Fence({ isOpen, children }: { isOpen?: boolean; children?: ReactNode }): ReactNode {
  const fences = useContext(FencesContext)
  const { text, language } = codeIn(children)
  const render = isOpen === true ? undefined : findFence(fences, language)
  const code = <Code>{children}</Code>
  if (render === undefined || text === undefined) return code
  return <FromChunk chunk={fenceBody} props={{ source: text, language: language!, render, code }} fallback={code} />
}

export const fenceBody: ComponentChunk<FenceBodyProps> = new ComponentChunk(() => import('./fence-body.tsx'))

function Code({ children }: { children?: ReactNode }): ReactNode {
  const box = useRef<HTMLPreElement>(null)
  const { body } = usePartLocale()
  const { text, language } = codeIn(children)
  return (
    <div className="argot-code-block" data-part="code-block">
      <div className="argot-code-head">
        <span>{language}</span>
        <CopyButton name={body.code} value={() => box.current?.textContent ?? ''} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre ref={box} tabIndex={0}>
        {text === undefined || language === undefined ? (
          children
        ) : (
          <code>
            <Highlight text={text} language={language} />
          </code>
        )}
      </pre>
    </div>
  )
}

function codeIn(children: ReactNode): { text: string | undefined; language: string | undefined } {
  if (!isValidElement<{ children?: unknown; className?: unknown }>(children))
    return { text: undefined, language: undefined }
  const { children: inner, className } = children.props
  const text = Array.isArray(inner) && inner.length === 1 ? inner[0] : inner
  const named = typeof className === 'string' ? /\blang(?:uage)?-([\w+#-]{1,20})/.exec(className)?.[1] : undefined
  return { text: typeof text === 'string' ? text : undefined, language: named }
}

function Table({ children }: { children?: ReactNode }): ReactNode {
  const table = useRef<HTMLTableElement>(null)
  const { body } = usePartLocale()
  return (
    <div className="argot-table-block">
      <CopyButton name={body.table} value={() => toCsv(tableCells(table.current))}>
        {body.copyCsv}
      </CopyButton>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="argot-table" data-part="table" dir="auto" tabIndex={0}>
        <table ref={table}>{children}</table>
      </div>
    </div>
  )
}

/** Every character of the cells, row by row. */
function tableCells(table: HTMLTableElement | null): string[][] {
  return Array.from(table?.rows ?? [], row => Array.from(row.cells, cell => cell.textContent ?? ''))
}
