import { isRecord, readContent, stripAnsi } from '@argot/core/stream/internal'
import type { OutputImage } from '../image/find-image.ts'
import { findImage, toImage } from '../image/find-image.ts'
import { type HttpExchange, readExchange } from './read-exchange.ts'
import { readSources, type Source } from './read-sources.ts'
import { readTable, type Table } from './read-table.ts'
import { readTestRun, type TestRun } from './read-test-run.ts'
import { readTestValue } from './read-test-value.ts'
import { readTrace, type TraceLine } from './read-trace.ts'

/** A body's content, as data. Each kind has one component in `kind-body.tsx`. */
export type BodyKind =
  | { kind: 'tests'; run: TestRun }
  | { kind: 'trace'; lines: readonly TraceLine[] }
  | { kind: 'table'; table: Table }
  | { kind: 'sources'; sources: readonly Source[] }
  | { kind: 'http'; exchange: HttpExchange }
  | { kind: 'compare'; before: OutputImage; after: OutputImage }

export interface KindSubject {
  toolName?: string | undefined
  input?: unknown
  output?: unknown
  /** For a failed call: read in place of the output. */
  errorText?: string | undefined
}

/** A longer text has no kind: it is shown as plain text. */
const LONGEST_TEXT = 2_000_000
/** A longer text is not parsed as JSON. */
const LONGEST_JSON = 500_000

/**
 * The kind of a call's output; undefined for plain text, terminals, trees, diffs and single pictures. Pure, linear in
 * the text, and bounded: output that is too large or too deep has no kind. `only` is a kind that the tool itself names.
 */
export function detectKind(subject: KindSubject, only?: string): BodyKind | undefined {
  const { toolName = '', input, output, errorText } = subject
  if (errorText !== undefined) return readText(errorText, input, only ?? 'failure')
  const pictures = only === undefined || only === 'compare' ? readPictures(input, output) : undefined
  if (pictures !== undefined) return pictures
  const value = unwrap(output)
  if (typeof value !== 'string') return readValue(value, toolName, input, only)
  if (value.length > LONGEST_TEXT || (only === undefined && isFile(toolName, input))) return undefined
  return readText(value, input, only) ?? readJson(value, toolName, input, only)
}

const pathKeys = ['path', 'file_path', 'filePath', 'file', 'filename'] as const
const commandKeys = ['command', 'cmd'] as const

/** A file's text is shown as the file. */
function isFile(toolName: string, input: unknown): boolean {
  const hasPath = isRecord(input) && pathKeys.some(key => typeof own(input, key) === 'string')
  return hasPath && /read|view|open|load|cat|get|fetch|write|edit|create|show/i.test(toolName.slice(0, 128))
}

/** Whether a call runs a program: its output belongs in a terminal. */
export function isCommand(input: unknown): boolean {
  return isRecord(input) && commandKeys.some(key => Object.hasOwn(input, key))
}

/** The data inside an MCP or AI SDK result, and a program's printed text. */
function unwrap(output: unknown): unknown {
  if (!isRecord(output)) return output
  const structured = own(output, 'structuredContent')
  if (isRecord(structured)) return structured
  const type = own(output, 'type')
  if ((type === 'json' || type === 'text') && Object.hasOwn(output, 'value')) return output.value
  const pieces = own(output, 'content')
  const texts = Array.isArray(pieces) ? pieces.slice(0, 100).map(piece => isRecord(piece) && own(piece, 'text')) : []
  if (texts.length > 0 && texts.every(text => typeof text === 'string')) return texts.join('\n')
  return readPrinted(output) ?? output
}

export function readPrinted(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const text = (key: string): string | undefined => {
    const one = own(value, key)
    return typeof one === 'string' ? one : undefined
  }
  const out = text('stdout') ?? text('output')
  const error = text('stderr')
  if (out === undefined && error === undefined) return undefined
  return exitCode(value) !== undefined || error !== undefined
    ? [out, error].filter(one => one !== undefined && one !== '').join('\n')
    : undefined
}

/** A program's exit code, if a value has one: null if it was killed. */
export function exitCode(value: unknown): number | null | undefined {
  if (!isRecord(value)) return undefined
  const codes = ['exitCode', 'exit_code', 'code'].map(key => own(value, key))
  return codes.find((code): code is number | null => code === null || Number.isInteger(code))
}

function readText(text: string, input: unknown, only: string | undefined): BodyKind | undefined {
  if (text.length > LONGEST_TEXT) return undefined
  const plain = stripAnsi(text)
  const isAny = only === undefined || only === 'failure'
  const run = isAny || only === 'tests' ? readTestRun(plain) : undefined
  if (run !== undefined) return { kind: 'tests', run }
  const exchange = isAny || only === 'http' ? readExchange(plain, input) : undefined
  if (exchange !== undefined) return { kind: 'http', exchange }
  const lines = isAny || only === 'trace' ? readTrace(plain, only !== undefined) : undefined
  return lines && { kind: 'trace', lines }
}

/** A program's output stays in a terminal. */
function readJson(text: string, toolName: string, input: unknown, only: string | undefined): BodyKind | undefined {
  if (text.length > LONGEST_JSON || (only === undefined && isCommand(input)) || !/^\s*[[{]/.test(text)) return undefined
  try {
    return readValue(JSON.parse(text), toolName, input, only)
  } catch {
    return undefined
  }
}

function readValue(value: unknown, toolName: string, input: unknown, only: string | undefined): BodyKind | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const asks = (kind: string): boolean => only === undefined || only === kind
  const run = asks('tests') ? readTestValue(value) : undefined
  if (run !== undefined) return { kind: 'tests', run }
  const exchange = asks('http') ? readExchange(value, input) : undefined
  if (exchange !== undefined) return { kind: 'http', exchange }
  const sources = asks('sources') ? readSources(value, toolName, only !== undefined) : undefined
  if (sources !== undefined) return { kind: 'sources', sources }
  const table = asks('table') ? readTable(value) : undefined
  return table && { kind: 'table', table }
}

/** Two pictures of one size side by side, or an input picture and the resulting one. */
function readPictures(input: unknown, output: unknown): BodyKind | undefined {
  const pieces = readContent(output)?.value ?? []
  const images = pieces.map(toImage)
  const first = images.findIndex(image => image !== undefined)
  const count = images.filter(image => image !== undefined).length
  const [one, two] = [images[first], images[first + 1]]
  if (one === undefined || pieces.some(piece => piece.type === 'text' && piece.text.trim() !== '')) return undefined
  if (count === 2 && two !== undefined && isSameSize(one, two)) return { kind: 'compare', before: one, after: two }
  const origin = count === 1 && isRecord(input) ? findImage(input) : undefined
  return origin !== undefined && isSameSize(origin, one) ? { kind: 'compare', before: origin, after: one } : undefined
}

function isSameSize(one: OutputImage, two: OutputImage): boolean {
  return one.width === two.width && one.height === two.height
}

function own(fields: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}
