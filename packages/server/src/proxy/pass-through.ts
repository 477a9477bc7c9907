import { Problem } from '../guard/problem.ts'
import { requestPath } from '../guard/request-path.ts'
import { type OnEnd, pushStream } from './push-stream.ts'
import { toClientHeaders } from './upstream/headers.ts'
import { readPieces } from './upstream/read-pieces.ts'
import type { UpstreamResponse } from './upstream/upstream.ts'

/** A request's path below the upstream's base path: `/models` for `/v1/models`. */
export function upstreamPath(url: string): string {
  const path = requestPath(url)
  if (path !== '/v1' && !path.startsWith('/v1/')) {
    throw new Problem(404, 'SERVER_NOT_FOUND', 'There is nothing at this address. The proxy serves /v1 and /debug.')
  }
  const names = path.slice(3).split('/').map(decodeURIComponent)
  // The upstream might decode the path once more, and that must not lead out of its base path.
  if (names.some(name => name === '.' || name === '..' || /[/\\]/.test(name) || /%2e|%2f|%5c/i.test(name))) {
    throw new Problem(400, 'SERVER_BAD_PATH', 'The address leads outside the upstream.')
  }
  return path.slice(3) + new URL(url).search
}

/** The body is unchanged. Only some headers are passed on. */
export function toResponse({ status, headers, body }: UpstreamResponse, onEnd: OnEnd): Response {
  if (status >= 300 && status < 400 && status !== 304) {
    body.destroy()
    throw new Problem(
      502,
      'PROXY_UPSTREAM_FAILED',
      'The upstream redirects to another address, which the proxy does not follow.',
    )
  }
  const isEmpty = status === 204 || status === 304
  if (isEmpty) {
    body.resume()
    onEnd(true)
  }
  return new Response(isEmpty ? null : passBody(body, onEnd), { status, headers: toClientHeaders(headers) })
}

function passBody(body: UpstreamResponse['body'], onEnd: OnEnd): ReadableStream<Uint8Array> {
  return pushStream(write => readPieces(body, piece => write(piece)?.then(() => true) ?? true), onEnd)
}
