import { isRecord } from '../source/is-record.ts'
import type { CallLocale } from './call-locale.ts'
import { editedLines, toLines } from './more-edits.ts'
import { type CallSources, describeFields, readLink, readSources } from './more-values.ts'
import { oneLine } from './one-line.ts'
import type { ToolInvocation } from './tool-invocation.ts'

const LONGEST_SUMMARY = 80
const MANY_KEYS = 100
const SHORT_TEXT = 24
const LONGEST_JSON = 20_000

/** The output's own summary, or what an edit's input changes, or the output's fields in words. */
export function findResult(
  { toolName, input, output }: ToolInvocation,
  subjectKey: string | undefined,
  locale: CallLocale,
): string | undefined {
  const failure = describeFailure(output, locale)
  if (failure !== undefined) return failure
  const edit = editedLines(input)
  if (edit !== undefined) return locale.diff(edit.added, edit.removed)
  const lineText = describeWrittenLines(toolName, input, locale)
  if (lineText !== undefined) return lineText
  const value = readValue(output, isPlainText(toolName, subjectKey))
  if (isRecord(value) && !ArrayBuffer.isView(value)) return describeFields(value, { locale, echo: readEcho(input) })
  return value === output ? undefined : describeData(value, locale)
}

function describeData(value: unknown, locale: CallLocale): string | undefined {
  if (Array.isArray(value)) return locale.count(value.length, 'item')
  if (typeof value === 'number' && Number.isFinite(value)) return locale.number(value)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const text = withoutColours(value.slice(0, LONGEST_JSON)).trim()
  const isShort = value.length <= SHORT_TEXT && !text.includes('\n')
  return isShort ? oneLine(text, SHORT_TEXT) : locale.count(toLines(value).length, 'line')
}

/** An output that reports its own failure: `{ ok: false, error: 'Not found' }`. */
function describeFailure(output: unknown, locale: CallLocale): string | undefined {
  if (!isRecord(output)) return undefined
  const error = ownString(output, 'error') ?? ''
  const isFailure =
    ['ok', 'success'].some(key => Object.hasOwn(output, key) && output[key] === false) || output.isError === true
  if (!isFailure && error === '') return undefined
  const why = oneLine(withoutColours((error || ownString(output, 'message')) ?? ''), LONGEST_SUMMARY)
  return why === '' ? locale.states.failed : `${locale.states.failed} · ${why}`
}

/** For tools whose output only confirms what they wrote. */
function describeWrittenLines(toolName: string, input: unknown, locale: CallLocale): string | undefined {
  if (!isRecord(input) || !/write|create|append|save/i.test(toolName.slice(0, 128))) return undefined
  const hasPath = ['path', 'file_path', 'filePath', 'filename', 'file'].some(key => ownString(input, key) !== undefined)
  const content = ['content', 'contents', 'file_text']
    .map(key => ownString(input, key))
    .find(text => text !== undefined)
  return hasPath && content ? locale.count(toLines(content).length, 'line') : undefined
}

export function findSources({ toolName, output }: ToolInvocation): CallSources | undefined {
  return /search|find|research|lookup/i.test(toolName.slice(0, 128)) ? readSources(readValue(output, false)) : undefined
}

export function findLink({ output }: ToolInvocation): string | undefined {
  return readLink(readValue(output, false))
}

/** Such a text is not JSON data, even if it looks like it: a file, a page, or a program's output. */
function isPlainText(toolName: string, subjectKey = ''): boolean {
  if (/^(?:command|cmd|args|arguments)$/.test(subjectKey)) return true
  return /path|file|url/.test(subjectKey) && /read|view|open|fetch|load|get|^cat/i.test(toolName.slice(0, 128))
}

/** Unwraps an MCP or AI SDK result, and parses JSON text. */
function readValue(output: unknown, isPlain: boolean): unknown {
  if (isRecord(output)) {
    if (isRecord(output.structuredContent)) return output.structuredContent
    if ((output.type === 'json' || output.type === 'text') && Object.hasOwn(output, 'value')) return output.value
    const texts = Array.isArray(output.content) ? output.content.map(piece => isRecord(piece) && piece.text) : []
    if (texts.length === 0 || !texts.every(text => typeof text === 'string')) return output
    return readValue(texts.join('\n'), isPlain)
  }
  if (typeof output !== 'string' || output.length > LONGEST_JSON || isPlain) return output
  if (!/^\s*[[{]/.test(output)) return output
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}

function readEcho(input: unknown): ReadonlySet<string> {
  const values = isRecord(input) ? Object.values(input).slice(0, MANY_KEYS) : []
  return new Set(
    values
      .filter(one => typeof one === 'string' || typeof one === 'number')
      .map(one => String(one).slice(0, 100).toLowerCase()),
  )
}

/** `oneLine` escapes other terminal sequences. */
function withoutColours(text: string): string {
  return text.replace(/\u001b\[[\d;]*m/g, '')
}

function ownString(fields: Record<string, unknown>, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined
  return typeof value === 'string' ? value : undefined
}
