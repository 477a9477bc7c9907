import type { IncomingHttpHeaders } from 'node:http'

/** What the upstream gets of a request's headers. Cookies, origins and the proxy's own token stay here. */
const sent: ReadonlySet<string> = new Set(['accept', 'accept-language', 'authorization', 'content-type', 'user-agent'])
const sentPrefixes = ['openai-', 'x-stainless-', 'anthropic-', 'http-referer', 'x-title', 'x-request-id', 'helicone-']

/** What the client gets of a response's headers. `Access-Control-*` would open the proxy to pages of other sites. */
const returned: ReadonlySet<string> = new Set([
  'content-type',
  'content-disposition',
  'retry-after',
  'x-request-id',
  'request-id',
  'openai-processing-ms',
])
const returnedPrefixes = ['x-ratelimit-', 'anthropic-ratelimit-']

/** An Anthropic client has its key in `x-api-key`; an upstream of OpenAI's protocol reads `Authorization`. */
export function toUpstreamHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (sent.has(name) || sentPrefixes.some(prefix => name.startsWith(prefix))) result[name] = value
  }
  const key = headers.get('x-api-key')
  if (key !== null && result.authorization === undefined) result.authorization = `Bearer ${key}`
  return result
}

export function toClientHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue
    if (returned.has(name) || returnedPrefixes.some(prefix => name.startsWith(prefix))) result[name] = value
  }
  return result
}

/** The secrets of a request: they never appear in a log line or on the debug page. */
export function readSecrets(headers: Headers): string[] {
  const secrets: string[] = []
  for (const [name, value] of headers) {
    if (!/authorization|api-key|token|secret|cookie/i.test(name)) continue
    secrets.push(value, value.replace(/^\w+\s+/, ''))
  }
  return [...new Set(secrets)].filter(secret => secret.length >= 4).sort((a, b) => b.length - a.length)
}
