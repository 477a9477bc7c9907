import type { IncomingHttpHeaders } from 'node:http'

/** Request headers for the upstream. Cookies, origins and the proxy's own token aren't forwarded. */
const sentHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'user-agent',
])
const sentPrefixes = ['openai-', 'x-stainless-', 'anthropic-', 'http-referer', 'x-title', 'x-request-id', 'helicone-']

/** Response headers for the client. `Access-Control-*` would open the proxy to other sites' pages. */
const returnedHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-disposition',
  'retry-after',
  'x-request-id',
  'request-id',
  'openai-processing-ms',
])
const returnedPrefixes = ['x-ratelimit-', 'anthropic-ratelimit-']

/** Anthropic clients send their key in `x-api-key`; an upstream with OpenAI's protocol reads `Authorization`. */
export function toUpstreamHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (sentHeaders.has(name) || sentPrefixes.some(prefix => name.startsWith(prefix))) result[name] = value
  }
  const key = headers.get('x-api-key')
  if (key !== null && result.authorization === undefined) result.authorization = `Bearer ${key}`
  return result
}

export function toClientHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue
    if (returnedHeaders.has(name) || returnedPrefixes.some(prefix => name.startsWith(prefix))) result[name] = value
  }
  return result
}

/** A request's secrets, which never appear in a log line or on the debug page. */
export function readSecrets(headers: Headers): string[] {
  const secrets: string[] = []
  for (const [name, value] of headers) {
    if (!/authorization|api-key|token|secret|cookie/i.test(name)) continue
    secrets.push(value, value.replace(/^\w+\s+/, ''))
  }
  return [...new Set(secrets)].filter(secret => secret.length >= 4).sort((a, b) => b.length - a.length)
}
