import { isRecord } from '@argot/core/stream/internal'

export interface UpstreamError {
  status: number
  message: string
  code: string | undefined
  text: string | undefined
}

export function readUpstreamError(status: number, body: string): UpstreamError {
  const value = parse(body)
  const error = isRecord(value) && isRecord(value.error) ? value.error : isRecord(value) ? value : {}
  const plain = isRecord(value) && typeof value.error === 'string' ? value.error : undefined
  const detail = typeof error.detail === 'string' ? error.detail : undefined
  const message = firstText(error.message, plain, detail) ?? (body.trim().slice(0, 2000) || `HTTP ${status}`)
  const code = firstText(error.code, error.type)
  const statusInBody = typeof error.code === 'number' && error.code >= 400 && error.code < 600 ? error.code : undefined
  return { status: statusInBody ?? status, message, code, text: findQuotedText(message) }
}

/** Server messages for models or setups without tool calls. */
const unsupportedPatterns: readonly RegExp[] = [
  /does not support (?:tools|tool|function)/i,
  /tools? (?:param|parameter|use|calling|calls?).{0,40}(?:requires?|not supported|unsupported|is not enabled)/i,
  /requires --jinja/i,
  /requires --enable-auto-tool-choice/i,
  /--tool-call-parser/i,
  /no endpoints found that support tool use/i,
  /(?:tools|functions?|function calling|tool calling) (?:is|are) not supported/i,
]

export function isToolsUnsupported({ status, message }: UpstreamError): boolean {
  return status >= 400 && unsupportedPatterns.some(pattern => pattern.test(message))
}

/**
 * The model's text in an error, which llama.cpp and Ollama quote if their own parser fails:
 *
 *     Failed to parse input at pos 12: <tool_call>…
 *     error parsing tool call: raw='{"name":…', err=invalid character …
 */
function findQuotedText(message: string): string | undefined {
  const [, rest] = /failed to parse (?:input|tool call)[^:]{0,60}: ([\s\S]+)$/i.exec(message) ?? []
  if (rest !== undefined) return rest
  const [, raw] = /error parsing tool call: raw='([\s\S]+)', err=/i.exec(message) ?? []
  return raw
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function firstText(...values: readonly unknown[]): string | undefined {
  const value = values.find(each => (typeof each === 'string' && each !== '') || typeof each === 'number')
  return value === undefined ? undefined : String(value)
}
