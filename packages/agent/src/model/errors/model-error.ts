import {
  AISDKError,
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { ArgotError, type ErrorCode } from '@argot/core'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import { redactionMark } from '../../words/redaction-mark.ts'
import type { Model, ModelFailure } from '../model.ts'
import { findProvider } from '../providers.ts'
import { type ErrorFacts, readErrorFacts } from './error-facts.ts'

/**
 * Describes what went wrong with a model call. Takes what `doStream` threw, what reading its stream threw, or the value
 * of an `error` part. An abort is no failure: check `signal.aborted` first, since an abort may throw anything. Keys are
 * removed from the provider's message before it is cut: those that `redact` knows, and those that look like one.
 */
export function describeModelError(
  error: unknown,
  model: Pick<Model, 'name'>,
  redact: (text: string) => unknown = text => text,
  now: number = Date.now(),
): ModelFailure {
  if (error instanceof ArgotError) return failure(error.code, error.message, retryableCodes.has(error.code))
  const facts = readErrorFacts(error)
  if (!facts) return describeOther(error, model, redact)
  const code = classify(facts)
  const message = describe(code, facts, model.name, quoteWords(facts.words, redact))
  const retryAfterMs = readRetryAfter(facts.headers, now) ?? facts.retryDelayMs
  return {
    ...failure(code, message, isRetryable(code, facts)),
    ...defined({ retryAfterMs }),
  }
}

/** Failures that Argot itself detects and that a retry may avoid. */
const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['MODEL_STREAM_BROKEN', 'MODEL_SILENT'])

function failure(code: ErrorCode, message: string, retryable: boolean): ModelFailure {
  return { code, message, retryable }
}

/** Errors that neither a server nor a connection caused. */
function describeOther(error: unknown, { name }: Pick<Model, 'name'>, redact: (text: string) => unknown): ModelFailure {
  const words = quoteWords(error instanceof Error ? error.message : typeof error === 'string' ? error : '', redact)
  if (LoadAPIKeyError.isInstance(error)) {
    const { keys } = describeServer(name)
    return failure('MODEL_MISSING_KEY', `${name} needs a key. Set ${keys}. The demo model works without a key.`, false)
  }
  if (NoSuchModelError.isInstance(error)) {
    return failure('MODEL_NOT_FOUND', `There is no model called ${name}. Check the name.${words}`, false)
  }
  if (UnsupportedFunctionalityError.isInstance(error) && /image/i.test(error.functionality)) {
    const message = `${name} doesn't accept images. Use a model that does, or remove the image.${words}`
    return failure('MODEL_NO_PICTURES', message, false)
  }
  if (
    UnsupportedFunctionalityError.isInstance(error) ||
    InvalidPromptError.isInstance(error) ||
    InvalidArgumentError.isInstance(error)
  ) {
    return failure('MODEL_BAD_REQUEST', `${name} can't handle this request.${words}`, false)
  }
  if (AISDKError.isInstance(error)) {
    return failure('MODEL_BAD_REPLY', `The reply from ${name} doesn't follow its API.${words}`, false)
  }
  return failure('MODEL_FAILED', `${name} failed with an unknown error.${words}`, false)
}

const kinds = {
  context: ['context_length_exceeded', 'exceed_context_size_error', 'request_too_large'],
  quota: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'billing_error'],
  missing: ['model_not_found', 'not_found_error', 'not_found', 'notfounderror'],
  rate: ['rate_limit_exceeded', 'rate_limit_error', 'resource_exhausted', 'too_many_requests'],
  key: [
    'invalid_api_key',
    'authentication_error',
    'permission_error',
    'permission_denied',
    'unauthenticated',
    'api_key_invalid',
  ],
  server: [
    'overloaded_error',
    'server_error',
    'api_error',
    'internal_server_error',
    'internal',
    'unavailable',
    'deadline_exceeded',
    'timeout_error',
  ],
} as const

/** How servers without an error code for it report that the input is too long. */
const overflows: readonly RegExp[] = [
  /prompt (?:is )?too long/i,
  /exceeds? the maximum number of tokens/i,
  /maximum context length/i,
  /exceeds? (?:the |its )?(?:model'?s? )?(?:available |maximum )?context (?:size|length|window|limit)/i,
  /context (?:size|length|window) (?:has been |was |is )?exceeded/i,
  /when context the overflows|context overflow/i,
  /(?:greater|longer|larger) than the (?:model'?s )?context (?:length|size|window)/i,
]

/** How servers report that they or the model don't support tool calls, or don't take messages with their results. */
const withoutTools: readonly RegExp[] = [
  /(?:does not|doesn['’]t) support (?:the )?['"`]?(?:tool|function)/i,
  /(?:tool|function)s?['"`]?(?: (?:use|call(?:s|ing)?|choice|messages?|roles?))?['"`]? (?:is|are) (?:not (?:yet )?(?:supported|enabled|available|allowed)|unsupported)/i,
  /no endpoints found that support tool use/i,
  /--enable-auto-tool-choice|requires? --jinja/i,
  /(?:unknown|invalid|unsupported|unexpected) (?:message )?role:? ['"`]?tool\b(?!['"`]? (?:after|before|following))/i,
  /['"`]?role['"`]?:? ['"`]?tool['"`]? (?:is |are )?(?:not (?:supported|allowed)|unsupported|invalid)/i,
  /unknown variant ['"`]tool['"`]|['"`]tool['"`] is not one of/i,
  /only (?:(?!tool)[^.!\n]){1,60} roles are supported/i,
]

/** How servers report that they or the model don't take pictures. */
const withoutPictures: readonly RegExp[] = [
  /(?:images|image_url|image (?:input|content)s?) (?:is|are) (?:not|only) (?:supported|enabled|allowed)/i,
  /does(?: not|n't) (?:support|accept|take) (?:any )?(?:images?|vision|multimodal)/i,
  /no endpoints found that support image input|missing data required for image input/i,
  /not (?:a multimodal|support multimodal)|at most 0 image/i,
  /unknown variant `image_url`/i,
]

const withoutCredit = /credit balance is too low/i

function classify(facts: ErrorFacts): ErrorCode {
  const { status, words } = facts
  const is = (group: readonly string[]) => group.some(kind => facts.kinds.has(kind))
  // Anthropic's package reports a reply that it can't read as a refusal, with its own error as the body.
  if ([...facts.kinds].some(kind => kind.startsWith('ai_'))) return 'MODEL_BAD_REPLY'
  if (status === undefined && !facts.inStream) return facts.isJson ? 'MODEL_BAD_REPLY' : 'MODEL_UNREACHABLE'
  if (is(kinds.context)) return 'MODEL_CONTEXT_EXCEEDED'
  if (withoutPictures.some(pattern => pattern.test(words))) return 'MODEL_NO_PICTURES'
  if (status !== 429 && withoutTools.some(pattern => pattern.test(words))) return 'MODEL_NO_TOOLS'
  if (is(kinds.quota) || status === 402 || withoutCredit.test(words)) return 'MODEL_NO_QUOTA'
  if (is(kinds.missing)) return 'MODEL_NOT_FOUND'
  if (is(kinds.rate)) return 'MODEL_RATE_LIMITED'
  if (is(kinds.key)) return 'MODEL_KEY_REFUSED'
  if (status === 404) return 'MODEL_NOT_FOUND'
  if (status === 429) return 'MODEL_RATE_LIMITED'
  if (status === 401 || status === 403) return 'MODEL_KEY_REFUSED'
  if (overflows.some(pattern => pattern.test(words))) return 'MODEL_CONTEXT_EXCEEDED'
  if (facts.inStream) return 'MODEL_STREAM_BROKEN'
  if (is(kinds.server) || status === 408 || status === 409 || status! >= 500) return 'MODEL_SERVER_ERROR'
  return 'MODEL_BAD_REQUEST'
}

/** There is no answer, and waiting doesn't help: a person has to act. */
const permanentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EACCES|EPERM|ERR_|CERT_|.*(?:_CERT|SELF_SIGNED))/

function isRetryable(code: ErrorCode, { headers, network }: ErrorFacts): boolean {
  if (code === 'MODEL_UNREACHABLE') return network !== undefined && !permanentCodes.test(network)
  if (code === 'MODEL_STREAM_BROKEN') return true
  if (code !== 'MODEL_RATE_LIMITED' && code !== 'MODEL_SERVER_ERROR') return false
  return headers['x-should-retry'] !== 'false'
}

function describe(code: ErrorCode, facts: ErrorFacts, name: string, words: string): string {
  const { who, keys, addresses, isLocal } = describeServer(name)
  const status = facts.status === undefined ? '' : ` (status ${facts.status})`
  switch (code) {
    case 'MODEL_UNREACHABLE':
      return `${facts.address ?? who} cannot be reached: ${explainNetwork(facts.network)} ${isLocal ? `Start the server, or correct ${addresses}.` : `Check the connection${addresses ? ` and ${addresses}` : ''}.`}`
    case 'MODEL_CONTEXT_EXCEEDED':
      return `The conversation is too long for ${name}. Shorten the document, insert less into it, or use a model with a larger context.${isLocal ? ' If you run the server, start it with a larger context.' : ''}${words}`
    case 'MODEL_NO_QUOTA':
      return `${who} reports that this account's credit or quota is used up${status}. Add credit, or raise the limit in the account settings.${words}`
    case 'MODEL_NOT_FOUND':
      if (facts.status === 404 && !facts.isJson) {
        return `There is no API at ${facts.address ?? who} (status 404). Check the address${addresses ? ` in ${addresses}` : ''}.`
      }
      return `${who} has no model ${quoteId(name)}, or this key may not use it. Check the name${name.startsWith('ollama:') ? `, or get it with: ollama pull ${toModelId(name)}` : ''}.${words}`
    case 'MODEL_RATE_LIMITED':
      return `${who} is not accepting more requests right now${status}. Wait and try again.${words}`
    case 'MODEL_KEY_REFUSED':
      return `${who} refused the key${status}. Check ${keys}: it may be wrong or expired, or it may not have access to ${name}.${words}`
    case 'MODEL_NO_TOOLS':
      return `${name} doesn't accept tools or tool messages. Have it write its calls as text: --syntax auto, or <config tool_syntax="auto"/>.${words}`
    case 'MODEL_NO_PICTURES':
      return `${name} doesn't accept images. Use a model that does, or remove the image.${words}`
    case 'MODEL_STREAM_BROKEN':
      return facts.words && !facts.network
        ? `${who} stopped its reply with an error.${words}`
        : `${who} stopped in the middle of a reply: the connection closed.`
    case 'MODEL_SERVER_ERROR':
      return `${who} failed${status}. Your request isn't the cause. Try again later.${words}`
    case 'MODEL_BAD_REPLY':
      return `The reply from ${name} doesn't follow its API.${name.startsWith('openai:') ? ` For an OpenAI-compatible server, use ARGOT_BASE_URL and openai-compatible:${toModelId(name)}.` : ''}${words}`
    default:
      return `${who} rejected the request${status}.${words}`
  }
}

function describeServer(name: string): { who: string; keys: string; addresses: string; isLocal: boolean } {
  const provider = findProvider(name)
  return {
    who: provider?.title ?? `The server for ${name}`,
    keys: provider?.keys.join(' or ') ?? 'the key',
    addresses: provider?.addresses.join(' or ') ?? '',
    isLocal: provider !== undefined && !provider.needsKey,
  }
}

function toModelId(name: string): string {
  return findProvider(name) ? name.slice(name.indexOf(':') + 1) : name
}

function quoteId(name: string): string {
  return JSON.stringify(toModelId(name))
}

function explainNetwork(code: string | undefined): string {
  if (code === 'ECONNREFUSED') return 'nothing is listening there.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name was not found.'
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return 'the connection closed before a reply arrived.'
  if (code === 'ETIMEDOUT' || code?.endsWith('_TIMEOUT')) return 'the server took too long to respond.'
  return code ? `the connection failed (${code}).` : 'the connection failed.'
}

/** How much of the provider's message is shown, and how much is examined, in characters. */
const LONGEST_WORDS = 500
const SEARCHED_WORDS = 64 * 1024

function quoteWords(words: string, redact: (text: string) => unknown): string {
  const plain = words.slice(0, SEARCHED_WORDS).replace(/\s+/g, ' ').trim()
  const clean = String(redact(plain)).replace(
    keyLike,
    (_, scheme?: string) => `${scheme ? `${scheme} ` : ''}${KEY_MARK}`,
  )
  if (clean === '') return ''
  const shortened = clean.length > LONGEST_WORDS ? `${firstCharacters(clean, LONGEST_WORDS)}…` : clean
  return ` It says: ${shortened.toWellFormed()}`
}

const KEY_MARK = redactionMark('key')
const keyLike = /\b(?:(?:sk|pk|rk|gsk|xai|hf)[-_]|AIza)[\w-]{16,}|\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/g

/** How long a reply asks to wait, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number = Date.now(),
): number | undefined {
  const milliseconds = readNumber(headers['retry-after-ms'])
  if (milliseconds !== undefined) return milliseconds
  const text = headers['retry-after']
  const seconds = readNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function readNumber(text: string | undefined): number | undefined {
  return text && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}
