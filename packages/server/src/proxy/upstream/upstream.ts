import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { ArgotError } from '@argot/core'
import { Problem } from '../../guard/problem.ts'

export interface UpstreamRequest {
  method: string
  /** Below the base path, with its query: `/chat/completions`. */
  path: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array | undefined
  signal: AbortSignal
}

export interface UpstreamResponse {
  status: number
  headers: IncomingHttpHeaders
  body: IncomingMessage
}

/**
 * The one server that the proxy sends requests to. It has no timeout, because a local model may read a long prompt for
 * minutes, and it never follows a redirect.
 */
export class Upstream {
  readonly #base: URL
  readonly #agent: HttpAgent

  constructor(address: string) {
    this.#base = readBase(address)
    this.#agent =
      this.#base.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  }

  /** The address without secrets, for messages. */
  get address(): string {
    return this.#base.href.replace(/\/$/, '')
  }

  /** Resolves when the response head has arrived. Rejects with a `Problem` if the upstream can't be reached. */
  async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    try {
      return await this.#send(request)
    } catch (error) {
      if (request.signal.aborted) throw error
      const { code, message } = error as NodeJS.ErrnoException
      throw new Problem(
        502,
        'PROXY_UPSTREAM_UNREACHABLE',
        `The upstream ${this.address} can't be reached (${code ?? message}). Is the model server running?`,
      )
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(request: UpstreamRequest, isSecondTry = false): Promise<UpstreamResponse> {
    const { method, path, body, signal } = request
    const { protocol, hostname, port, pathname } = this.#base
    const send = protocol === 'https:' ? requestHttps : requestHttp
    const headers: Record<string, string> = { ...request.headers, 'accept-encoding': 'identity' }
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
    return new Promise((resolve, reject) => {
      const client = send({
        protocol,
        hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: port === '' ? undefined : port,
        path: pathname.replace(/\/$/, '') + path,
        method,
        headers,
        agent: this.#agent,
        signal,
      })
      client.on('error', error => {
        // The upstream may close an idle connection just when it is reused.
        const isStale = client.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET'
        if (isStale && !isSecondTry && !signal.aborted) resolve(this.#send(request, true))
        else reject(error)
      })
      client.once('response', response => {
        // Read errors reach the body's reader. This keeps a late one from ending the process.
        response.on('error', () => {})
        resolve({ status: response.statusCode ?? 502, headers: response.headers, body: response })
      })
      client.end(body)
    })
  }
}

function readBase(address: string): URL {
  const base = URL.canParse(address) ? new URL(address) : undefined
  const isPlain =
    base !== undefined &&
    (base.protocol === 'http:' || base.protocol === 'https:') &&
    base.username === '' &&
    base.password === '' &&
    base.search === '' &&
    base.hash === ''
  if (isPlain) return base
  throw new ArgotError(
    'PROXY_BAD_UPSTREAM',
    'The upstream must be an http or https address without a user, a query or a fragment, such as http://localhost:11434/v1.',
  )
}

/** Reads a body as text, up to this many bytes. Throws a `Problem` if it is longer or breaks off. */
export async function readText(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of body) {
      size += piece.byteLength
      if (size > most) break
      pieces.push(piece)
    }
  } catch {
    throw new Problem(502, 'PROXY_UPSTREAM_CUT', 'The upstream closed the connection in the middle of its reply.')
  }
  if (size > most) throw replyTooLong(most)
  return Buffer.concat(pieces).toString('utf8')
}

export function replyTooLong(most: number): Problem {
  return new Problem(502, 'PROXY_UPSTREAM_FAILED', `The upstream's reply has more than ${most} bytes.`)
}
