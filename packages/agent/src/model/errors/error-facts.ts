import { APICallError, TypeValidationError } from '@ai-sdk/provider'
import { defined } from '@argot/core/stream/internal'

/** The verifiable facts of a model call's error, whichever package threw it or sent it as a part. */
export interface ErrorFacts {
  /** The HTTP status of a refusal, or the status inside a stream error. */
  status?: number
  /** The reply had begun: the error came in its body, or the body broke off. */
  inStream: boolean
  /** The provider's machine-readable words, in lower case: types, codes, reasons. */
  kinds: ReadonlySet<string>
  /** The provider's message for people; may be empty. */
  words: string
  /** The body of a refusal is JSON, as every API promises. */
  isJson: boolean
  headers: Readonly<Record<string, string>>
  /** Where the request went, without its query. */
  address?: string
  /** The code from the system or the HTTP client if no reply came, or if it broke off. */
  network?: string
  /** How long the body asks to wait. */
  retryDelayMs?: number
}

/** Reads the facts of an error that a provider or the connection to it caused. `undefined` for any other. */
export function readErrorFacts(error: unknown): ErrorFacts | undefined {
  if (APICallError.isInstance(error)) return readCallError(error)
  if (TypeValidationError.isInstance(error)) return readStreamError(error.value)
  if (error instanceof Error) {
    const network = findNetworkCode(error)
    return network ? { ...noFacts, network } : undefined
  }
  return readStreamError(error)
}

const noFacts: ErrorFacts = { inStream: false, kinds: new Set(), words: '', isJson: false, headers: {} }

/** Error bodies are short. Anything longer isn't one and isn't read to its end. */
const LONGEST_BODY = 65_536

function readCallError(error: APICallError): ErrorFacts {
  const body = readJson(error.responseBody)
  const facts = readBody(body)
  const network = findNetworkCode(error)
  // An error with a success status: the reply began, and its body couldn't be read.
  const hasBegun = error.statusCode !== undefined && error.statusCode < 400
  return {
    ...defined({ status: hasBegun ? undefined : error.statusCode }),
    inStream: hasBegun,
    kinds: facts?.kinds ?? new Set(),
    words: facts?.words ?? readPlain(error.responseBody),
    isJson: body !== undefined,
    headers: error.responseHeaders ?? {},
    ...defined({
      address: URL.canParse(error.url) ? formatPlain(new URL(error.url)) : undefined,
      network,
      retryDelayMs: facts?.retryDelayMs,
    }),
  }
}

/** An error that came as an event: `{ type, message }`, `{ error: { … } }`, `{ error: 'words' }`. */
function readStreamError(value: unknown): ErrorFacts | undefined {
  const facts = readBody(value)
  if (!facts || facts.words === '') return undefined
  return {
    ...noFacts,
    ...defined({ status: facts.status }),
    inStream: true,
    kinds: facts.kinds,
    words: facts.words,
    isJson: true,
    ...defined({ retryDelayMs: facts.retryDelayMs }),
  }
}

interface ErrorBody {
  status?: number
  kinds: Set<string>
  words: string
  retryDelayMs?: number
}

/** All APIs have similar errors, so one function reads them: the innermost `error` has the message and the types. */
function readBody(value: unknown): ErrorBody | undefined {
  const outer = asObject(Array.isArray(value) ? value[0] : value)
  if (!outer) return undefined
  const inner = asObject(outer.error) ?? asObject(asObject(outer.response)?.error) ?? outer
  const body: ErrorBody = { kinds: new Set(), words: '' }
  body.words = firstText(inner.message, outer.error, outer.message, outer.detail)
  for (const kind of [inner.type, inner.code, inner.status, inner.reason, inner.name, outer.code]) {
    if (typeof kind === 'string') body.kinds.add(kind.toLowerCase())
  }
  for (const status of [inner.code, inner.status, inner.statusCode, outer.statusCode]) {
    const number = typeof status === 'string' && /^\d{3}$/.test(status) ? Number(status) : status
    if (typeof number === 'number' && number >= 400 && number < 600) body.status ??= number
  }
  for (const entry of Array.isArray(inner.details) ? inner.details.slice(0, 20) : []) {
    const detail = asObject(entry)
    if (typeof detail?.reason === 'string') body.kinds.add(detail.reason.toLowerCase())
    const delay = typeof detail?.retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(detail.retryDelay) : null
    if (delay) body.retryDelayMs = Math.ceil(Number(delay[1]) * 1000)
  }
  return body
}

function firstText(...values: unknown[]): string {
  for (const value of values) if (typeof value === 'string' && value.trim() !== '') return value.trim()
  return ''
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

function readJson(text: string | undefined): unknown {
  if (text === undefined || text.length > LONGEST_BODY) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a proxy's plain text. HTML pages aren't quoted. */
function readPlain(text: string | undefined): string {
  const start = text?.slice(0, 4096).trim() ?? ''
  return start.startsWith('<') ? '' : start
}

/** The first code in the chain of causes: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`. */
function findNetworkCode(error: unknown): string | undefined {
  let current: unknown = error
  for (let depth = 0; current instanceof Error && depth < 8; depth++) {
    const { code } = current as { code?: unknown }
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code
    current = current.cause
  }
  return undefined
}

function formatPlain(url: URL): string {
  return `${url.origin}${url.pathname}`
}
