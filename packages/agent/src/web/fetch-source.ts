import { type ClientRequest, request as httpRequest, type IncomingMessage, STATUS_CODES } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { defined } from '@argot/core/stream/internal'
import { SourceError } from '../files/source-error.ts'
import { getCode } from '../words/get-code.ts'
import { quoted } from '../words/quoted.ts'
import type { AddressPolicy } from './address-policy.ts'
import { checkedLookup, type Lookup } from './checked-lookup.ts'
import { Deadline } from './deadline.ts'
import type { ResolverLimits } from './limits.ts'
import { readReply } from './read-reply.ts'
import { checkAddress, literalAddress, parseWebAddress } from './web-address.ts'

export interface FetchOptions {
  policy: AddressPolicy
  limits: ResolverLimits
  lookup?: Lookup | undefined
  userAgent: string
  signal?: AbortSignal | undefined
  /** Accepts any type, with the limit for images; otherwise only text. */
  anyType?: boolean
  /** Called for each redirect. Returns why it is not followed; undefined if it is. */
  objectTo?: ((from: URL, to: URL) => Promise<string | undefined>) | undefined
}

export interface FetchedSource {
  bytes: Buffer
  /** The media type in lower case; '' if none was sent. */
  type: string
  charset?: string
  /** The final address, after all redirects. */
  url: URL
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Types that may be text, a missing one included. Binary content of such a type is refused after it is read. */
const TEXT_TYPES =
  /^(?:|text\/.*|.*\+(?:json|xml|yaml)|application\/(?:json|xml|javascript|ecmascript|typescript|yaml|x-yaml|toml|x-toml|x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|sql|graphql|x-sh|x-httpd-php|x-javascript|x-tex|x-latex|x-subrip|octet-stream))$/

/**
 * Fetches a text (with `anyType`, anything) over http(s). Checks every address before connecting to it, redirects
 * included. Sends no cookies, credentials or referrers, and limits size and time. Throws a `SourceError` for every
 * failure, or the signal's reason if it is aborted.
 */
export async function fetchSource(first: URL, options: FetchOptions): Promise<FetchedSource> {
  const deadline = new Deadline(options.limits.totalMs, options.signal)
  const visited = [first.href]
  try {
    for (let url = first; ; ) {
      const reply = await send(url, options, deadline)
      const location = REDIRECTS.has(reply.statusCode ?? 0) ? reply.headers.location : undefined
      if (location === undefined) return await receive(reply, url, options, deadline)
      reply.destroy()
      url = redirectTarget(location, url)
      visited.push(url.href)
      const objection = await options.objectTo?.(first, url)
      if (objection !== undefined) throw new SourceError('CHATMD_BAD_REPLY', objection, 'Use another source.')
      if (visited.length - 1 > options.limits.redirects) throw tooManyRedirects(visited)
    }
  } finally {
    deadline.end()
  }
}

/** Resolves when the response headers are here. */
async function send(url: URL, options: FetchOptions, deadline: Deadline): Promise<IncomingMessage> {
  const { policy, limits, lookup, userAgent } = options
  const literal = literalAddress(url)
  if (literal !== undefined) checkAddress(url, literal, policy)
  deadline.start(limits.connectMs, `${quoted(url.href)} could not be connected to`)
  try {
    return await new Promise((resolve, reject) => {
      const request: ClientRequest = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        agent: false,
        headers: {
          accept: 'text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8',
          'accept-encoding': 'gzip, br',
          'user-agent': userAgent,
        },
        lookup: checkedLookup(url, policy, lookup),
        maxHeaderSize: limits.headerBytes,
        signal: deadline.signal,
      })
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
      request.on('socket', socket => {
        const waiting = () => deadline.start(limits.headersMs, `${quoted(url.href)} did not answer`)
        socket.once(connected, waiting)
      })
      request.on('response', reply => {
        // Without a length, a reset connection would look like the end of the body.
        request.on('error', error => reply.destroy(error))
        resolve(reply)
      })
      request.on('upgrade', (_, socket) => {
        socket.destroy()
        const message = `${quoted(url.href)} answered with a protocol other than HTTP.`
        reject(new SourceError('CHATMD_BAD_REPLY', message, 'Use another source.'))
      })
      request.on('error', reject)
      request.end()
    })
  } catch (error) {
    throw deadline.reason() ?? connectionFailed(error, url)
  }
}

/** Throws unless the response is successful and a text; with `anyType`, it can be anything. */
async function receive(
  reply: IncomingMessage,
  url: URL,
  { limits, anyType = false }: FetchOptions,
  deadline: Deadline,
): Promise<FetchedSource> {
  const name = url.href
  try {
    const status = reply.statusCode ?? 0
    if (status < 200 || status > 299) {
      const message = `${quoted(name)} answered ${status}${STATUS_CODES[status] ? ` (${STATUS_CODES[status]})` : ''}.`
      throw new SourceError(
        'CHATMD_HTTP_STATUS',
        message,
        'Check the address. If the page needs a login, save it as a file.',
      )
    }
    const header = reply.headers['content-type'] ?? ''
    const type = (header.split(';')[0] ?? '').trim().toLowerCase()
    if (!anyType && !TEXT_TYPES.test(type)) {
      const message = `${quoted(name)} is ${quoted(type)}, not text.`
      const cure = type.startsWith('image/') ? 'Insert images with `<img>`.' : 'Insert text, or convert it first.'
      throw new SourceError('CHATMD_BINARY', message, cure)
    }
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1]
    const onPiece = () => deadline.start(limits.idleMs, `${quoted(name)} stopped in the middle of its response`)
    onPiece()
    const bytes = await readReply(reply, {
      name,
      limit: anyType ? limits.imageBytes : limits.textBytes,
      onPiece,
      signal: deadline.signal,
    })
    return { bytes, type, url, ...defined({ charset }) }
  } catch (error) {
    reply.destroy()
    throw deadline.reason() ?? (error instanceof SourceError ? error : replyFailed(error, url))
  }
}

/** Throws if a redirect leads from https to http. */
function redirectTarget(location: string, from: URL): URL {
  const url = parseWebAddress(location, from.href)
  if (from.protocol === 'http:' || url.protocol === 'https:') return url
  const message = `${quoted(from.href)} redirects to ${quoted(url.href)}, which is not encrypted.`
  throw new SourceError('CHATMD_BAD_REDIRECT', message, 'If you trust the target, use its address.')
}

function tooManyRedirects(visited: readonly string[]): SourceError {
  const circle = new Set(visited).size < visited.length
  const message = `${quoted(visited[0]!)} redirects ${circle ? 'in a loop' : 'too often'}: ${visited.map(quoted).join(' → ')}.`
  return new SourceError('CHATMD_BAD_REDIRECT', message, 'Use the address of the page itself.')
}

function connectionFailed(error: unknown, url: URL): SourceError {
  if (error instanceof SourceError) return error
  const code = getCode(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `${quoted(url.href)} sent headers that are too long.`
    return new SourceError('CHATMD_BAD_REPLY', message, 'Use another source.')
  }
  if (code.startsWith('HPE_')) {
    const message = `${quoted(url.href)} sent a reply that is not HTTP.`
    return new SourceError('CHATMD_BAD_REPLY', message, 'Check the address and the port.')
  }
  const reason =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `the name ${quoted(url.hostname)} was not found`
      : code === 'ECONNREFUSED'
        ? 'the connection was refused'
        : code === 'ECONNRESET'
          ? 'the connection closed before a response arrived'
          : `${error instanceof Error ? error.message || code : String(error)}`
  const message = `${quoted(url.href)} cannot be reached: ${reason}.`
  return new SourceError('CHATMD_UNREACHABLE', message, 'Check the address and your connection, then try again.')
}

function replyFailed(error: unknown, url: URL): SourceError {
  const code = getCode(error)
  if (code.startsWith('Z_') || (code.startsWith('ERR_') && code.includes('BROTLI')) || code.startsWith('ERR__ERROR_')) {
    const message = `${quoted(url.href)} sent a reply that cannot be decompressed.`
    return new SourceError('CHATMD_BAD_REPLY', message, 'Try again, or use another source.')
  }
  const message = `The connection to ${quoted(url.href)} was lost in the middle of the response.`
  return new SourceError('CHATMD_UNREACHABLE', message, 'Try again.')
}
