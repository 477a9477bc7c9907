import type { ToolInvocation } from '@argot/core'
import { type ContentOutput, type ContentPiece, readContent, visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useMemo } from 'react'
import type { BodyLocale } from '../locale/chat-locale.ts'
import { usePartLocale } from '../locale/part-locale.ts'
import { BodyBox } from './body-box.tsx'
import { BodyStateScope } from './body-state.tsx'
import { Diff } from './diff/diff.tsx'
import { toImage } from './image/find-image.ts'
import { ImageBody } from './image/image-body.tsx'
import { InlineCode } from './inline-code.tsx'
import { JsonBody } from './json/json-body.tsx'
import { detectKind, exitCode, isCommand, readPrinted } from './kinds/detect-kind.ts'
import { KindBody } from './kinds/kind-body.tsx'
import { Markdown } from './markdown/markdown.tsx'
import { Ansi, TerminalBody } from './text/terminal-body.tsx'
import { TextBody } from './text/text-body.tsx'

/** How to show an output, if the tool sets it. */
export type OutputFormat =
  | ('text' | 'terminal' | 'json' | 'diff' | 'markdown' | 'image')
  | ('tests' | 'trace' | 'table' | 'sources' | 'http' | 'compare')

/** Formats that say how to draw a value, as opposed to kinds that are detected from it. */
const plainFormats: ReadonlySet<unknown> = new Set<OutputFormat>([
  ...(['text', 'terminal', 'json', 'diff', 'markdown', 'image'] as const),
])
const kindFormats: ReadonlySet<unknown> = new Set<OutputFormat>([
  ...(['tests', 'trace', 'table', 'sources', 'http', 'compare'] as const),
])

export function isOutputFormat(value: unknown): value is OutputFormat {
  return plainFormats.has(value) || kindFormats.has(value)
}

export interface OutputBodyProps {
  value: unknown
  /** For the user interface only: `details.diff` replaces an output that merely says "ok". */
  details?: unknown
  format?: OutputFormat | undefined
  name?: string | undefined
  isRunning?: boolean | undefined
  /** The call that produced it: a file that was read is shown as a file, a picture next to its original. */
  toolName?: string | undefined
  input?: unknown
}

/** A tool's output in its most readable form: a diff, a picture, a terminal, a table, text, a tree. */
export function OutputBody(props: OutputBodyProps): ReactNode {
  const { value, details, format, name, isRunning, toolName, input } = props
  const { body } = usePartLocale()
  const isPlain = isRunning === true || (format !== undefined && plainFormats.has(format))
  // If an output comes with a diff, the diff is the important part.
  const hasDiff = (format === undefined || format === 'diff') && findDiff(details, value) !== undefined
  const kind = useMemo(
    () => (isPlain || hasDiff ? undefined : detectKind({ toolName, input, output: value }, format)),
    [isPlain, hasDiff, toolName, input, value, format],
  )
  if (kind !== undefined) {
    return <KindBody kind={kind} value={value} name={name} meta={describeExit(details, value, body)} />
  }
  // A command's output belongs in a terminal. If an output isn't of the kind that a tool names, that kind is ignored.
  const isTerminal = typeof value === 'string' && isCommand(input)
  const plain = format !== undefined && plainFormats.has(format) ? format : isTerminal ? 'terminal' : undefined
  return <PlainBody {...props} format={plain} />
}

function PlainBody({ value, details, format, name, isRunning }: OutputBodyProps): ReactNode {
  const { body } = usePartLocale()
  const diff = format === undefined || format === 'diff' ? findDiff(details, value) : undefined
  if (diff !== undefined) return <Diff diff={diff} name={name} />
  const content = format === undefined || format === 'image' ? readContent(value) : undefined
  if (content !== undefined) return <ContentBody content={content} name={name} />
  const printed = format === undefined || format === 'terminal' ? readPrinted(value) : undefined
  const text = printed ?? (typeof value === 'string' ? value : undefined)
  if (text === undefined) return <JsonBody value={value} name={body.result} isGrowing={isRunning} />
  if (format === 'markdown') return <Markdown text={text} isStreaming={isRunning} />
  if (format === 'terminal' || printed !== undefined || hasEscapes(text) || isRunning === true) {
    return (
      <TerminalBody
        text={text}
        raw={value}
        name={name}
        meta={describeExit(details, value, body)}
        isRunning={isRunning}
      />
    )
  }
  return <TextBody text={text} name={name} copyName={body.output} />
}

/** Why a call failed: test results, a trace, a program's coloured text, or a sentence with code between backticks. */
export function ErrorBody({ call }: { call: ToolInvocation }): ReactNode {
  const { body } = usePartLocale()
  const { toolName, input, details, errorText: text = '' } = call
  const kind = useMemo(() => detectKind({ toolName, input, errorText: text }), [toolName, input, text])
  if (kind !== undefined) {
    return <KindBody kind={kind} value={text} name={body.error} meta={describeExit(details, undefined, body)} />
  }
  return (
    <BodyBox name={body.error} copy={() => text}>
      <p className="argot-error" data-part="error">
        {text.includes('\u001b') ? <Ansi text={text} /> : <InlineCode text={text} />}
      </p>
    </BodyBox>
  )
}

function describeExit(details: unknown, value: unknown, body: BodyLocale): string | undefined {
  const code = exitCode(details) ?? exitCode(value)
  return typeof code === 'number' ? body.exit(code) : undefined
}

function ContentBody({ content, name }: { content: ContentOutput; name: string | undefined }): ReactNode {
  const { body } = usePartLocale()
  return content.value.map((piece, index) => {
    const image = toImage(piece)
    const label = 'filename' in piece && piece.filename !== undefined ? visibleLine(piece.filename) : undefined
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one output never move
      <BodyStateScope key={index} name={String(index)}>
        {piece.type === 'text' ? (
          piece.text !== '' && (
            <OutputBody value={piece.text} format={detectOutputFormat(piece.text)} name={body.output} />
          )
        ) : image !== undefined ? (
          <ImageBody image={image} name={label ?? name ?? body.image} />
        ) : (
          <OutputFile piece={piece} label={label ?? visibleLine(piece.mediaType)} />
        )}
      </BodyStateScope>
    )
  })
}

/** Next to a picture, a text that begins like a data URL is still a text. */
function detectOutputFormat(text: string): OutputFormat | undefined {
  return text.startsWith('data:') ? 'text' : undefined
}

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

function findDiff(details: unknown, value: unknown): string | undefined {
  if (typeof value === 'string' && isUnifiedDiff(value)) return value
  for (const one of [details, value]) {
    const files: readonly unknown[] = Array.isArray(one) ? one : [one]
    const diffs = files.map(file => ownText(file, 'diff'))
    if (diffs.length > 0 && diffs.every(diff => diff !== undefined && isUnifiedDiff(diff))) return diffs.join('\n')
  }
  return undefined
}

function hasEscapes(text: string): boolean {
  return text.slice(0, 20_000).includes('\u001b[')
}

function ownText(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const field = (value as Record<string, unknown>)[key]
  return typeof field === 'string' ? field : undefined
}

/** True for the unified format, with or without file names before it. */
export function isUnifiedDiff(text: string): boolean {
  return /^(?:@@ -\d|--- [^\n]*\n\+\+\+ |diff --git )/.test(text.slice(0, 1000))
}
