import { type ContentOutput, type ContentPiece, readContent, visibleLine } from '@argot/core/stream/internal'
import type { ReactNode } from 'react'
import { usePartLocale } from '../locale/part-locale.ts'
import { Diff } from './diff/diff.tsx'
import { ImageBody } from './image/image-body.tsx'
import { toImage } from './image/image-of.ts'
import { JsonBody } from './json/json-body.tsx'
import { KeptScope } from './kept.tsx'
import { Markdown } from './markdown/markdown.tsx'
import { TerminalBody } from './text/terminal-body.tsx'
import { TextBody } from './text/text-body.tsx'

/** How an output is shown, where the tool says it. */
export type OutputFormat = 'text' | 'terminal' | 'json' | 'diff' | 'markdown' | 'image'

export interface OutputBodyProps {
  value: unknown
  /** For the user interface only: `details.diff` is shown in the place of an output that merely says "ok". */
  details?: unknown
  format?: OutputFormat | undefined
  /** In the head: the path or the command of the call. */
  name?: string | undefined
  isRunning?: boolean | undefined
}

/** What a tool gave, in the form that can be read best: a diff, a picture, a terminal, text, a tree. */
export function OutputBody({ value, details, format, name, isRunning }: OutputBodyProps): ReactNode {
  const { body } = usePartLocale()
  const diff = format === undefined || format === 'diff' ? diffOf(details, value) : undefined
  if (diff !== undefined) return <Diff diff={diff} name={name} />
  const content = format === undefined || format === 'image' ? readContent(value) : undefined
  if (content !== undefined) return <ContentBody content={content} name={name} />
  const printed = format === undefined || format === 'terminal' ? printedIn(value) : undefined
  const text = printed ?? (typeof value === 'string' ? value : undefined)
  if (text === undefined) return <JsonBody value={value} name={body.result} isGrowing={isRunning} />
  if (format === 'markdown') return <Markdown text={text} isStreaming={isRunning} />
  if (format === 'terminal' || printed !== undefined || hasEscapes(text) || isRunning === true) {
    return <TerminalBody text={text} name={name} isRunning={isRunning} />
  }
  return <TextBody text={text} name={name} copyName={body.output} />
}

/** Texts, pictures and other files of one output, in their order. */
function ContentBody({ content, name }: { content: ContentOutput; name: string | undefined }): ReactNode {
  const { body } = usePartLocale()
  return content.value.map((piece, index) => {
    const image = toImage(piece)
    const label = 'filename' in piece && piece.filename !== undefined ? visibleLine(piece.filename) : undefined
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one output never move
      <KeptScope key={index} name={String(index)}>
        {piece.type === 'text' ? (
          piece.text !== '' && <OutputBody value={piece.text} format={formatOfText(piece.text)} name={body.output} />
        ) : image !== undefined ? (
          <ImageBody image={image} name={label ?? name ?? body.image} />
        ) : (
          <OutputFile piece={piece} label={label ?? visibleLine(piece.mediaType)} />
        )}
      </KeptScope>
    )
  })
}

/** A text beside a picture is a text, whatever it begins with. */
function formatOfText(text: string): OutputFormat | undefined {
  return text.startsWith('data:') ? 'text' : undefined
}

/** A file that is no picture: its name, its size, and a link that saves it. */
function OutputFile({ piece, label }: { piece: Exclude<ContentPiece, { type: 'text' }>; label: string }): ReactNode {
  const { body } = usePartLocale()
  const size = piece.type === 'file-data' ? ` · ${body.bytes(Math.floor((piece.data.length * 3) / 4))}` : ''
  const url = piece.type === 'file-url' ? piece.url : `data:application/octet-stream;base64,${piece.data}`
  return (
    <p className="argot-note" data-part="note">
      <a href={url} download={label} rel="noopener noreferrer" target="_blank">
        {`${label}${size}`}
      </a>
    </p>
  )
}

function diffOf(details: unknown, value: unknown): string | undefined {
  if (typeof value === 'string' && isUnifiedDiff(value)) return value
  for (const one of [details, value]) {
    const files: readonly unknown[] = Array.isArray(one) ? one : [one]
    const diffs = files.map(file => ownText(file, 'diff'))
    if (diffs.length > 0 && diffs.every(diff => diff !== undefined && isUnifiedDiff(diff))) return diffs.join('\n')
  }
  return undefined
}

/** What a program printed, where the output is an object that says how it ended. */
function printedIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const hasStatus = Object.hasOwn(value, 'exitCode') || Object.hasOwn(value, 'exit_code')
  const out = ownText(value, 'stdout') ?? ownText(value, 'output')
  const error = ownText(value, 'stderr')
  if (out === undefined && error === undefined) return undefined
  return hasStatus || error !== undefined
    ? [out, error].filter(text => text !== undefined && text !== '').join('\n')
    : undefined
}

function hasEscapes(text: string): boolean {
  return text.slice(0, 20_000).includes('\u001b[')
}

function ownText(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const found = (value as Record<string, unknown>)[key]
  return typeof found === 'string' ? found : undefined
}

/** True for the unified format, with or without the names of the files before it. */
export function isUnifiedDiff(text: string): boolean {
  return /^(?:@@ -\d|--- [^\n]*\n\+\+\+ |diff --git )/.test(text.slice(0, 1000))
}
