import { isRecord } from '@argot/core/stream/internal'

export interface HttpExchange {
  method: string | undefined
  url: string | undefined
  status: number
  statusText: string
  headers: readonly (readonly [name: string, value: string])[]
  /** A text is parsed if its type says JSON and it is JSON. */
  body: unknown
  /** The media type, without parameters. */
  type: string | undefined
}

const MOST_HEADERS = 200
const LONGEST_HEAD = 64_000
const LONGEST_JSON = 500_000

const fieldName =
  /^(?:status|statusCode|status_code|statusText|status_text|reason|headers|body|data|text|content|json|url|method|request|ok|redirected|type|responseTime|duration\w*|elapsed\w*|ms|time|version|httpVersion|config|size|truncated)$/

/** The output of `curl -i`, or an object with a status and headers; undefined for anything else. */
export function readExchange(value: unknown, input: unknown): HttpExchange | undefined {
  const request = isRecord(input) ? { method: ownText(input, 'method'), url: requestUrl(input) } : {}
  const exchange = typeof value === 'string' ? readMessage(value) : readFields(value)
  if (exchange === undefined) return undefined
  const url = exchange.url ?? request.url
  return { ...exchange, url, method: (exchange.method ?? request.method ?? (url && 'GET'))?.toUpperCase().slice(0, 16) }
}

/** The address in an input, or in a curl command line. */
function requestUrl(input: Record<string, unknown>): string | undefined {
  const command = ownText(input, 'command')?.slice(0, 4000)
  return ownText(input, 'url') ?? /\bhttps?:\/\/[^\s'"]+/.exec(command ?? '')?.[0]
}

function readMessage(text: string): HttpExchange | undefined {
  if (!/^\s*HTTP\/\d/.test(text.slice(0, 200))) return undefined
  let rest = text.trimStart()
  let last: HttpExchange | undefined
  // Redirects and `100 Continue` come before the actual response.
  for (let turn = 0; turn < 20 && /^HTTP\/\d/.test(rest); turn++) {
    const end = /\r?\n\r?\n/.exec(rest.slice(0, LONGEST_HEAD))
    const [first = '', ...lines] = rest.slice(0, end?.index ?? LONGEST_HEAD).split(/\r?\n/)
    const status = /^HTTP\/\d(?:\.\d)? (\d{3})(?: (.{0,200}))?$/.exec(first)
    if (status === null || lines.length > MOST_HEADERS) return undefined
    const headers = lines.map(line => splitHeader(line))
    if (headers.some(header => header === undefined)) return undefined
    rest = end === null ? '' : rest.slice(end.index + end[0].length)
    last = toExchange(Number(status[1]), status[2] ?? '', headers as [string, string][], rest)
  }
  return last
}

function splitHeader(line: string): [string, string] | undefined {
  const colon = line.indexOf(':')
  return colon < 1 || /\s/.test(line.slice(0, colon)) ? undefined : [line.slice(0, colon), line.slice(colon + 1).trim()]
}

function readFields(value: unknown): HttpExchange | undefined {
  if (!isRecord(value)) return undefined
  const response = isRecord(value.response) ? value.response : value
  const status = ['status', 'statusCode', 'status_code'].map(key => own(response, key)).find(Number.isInteger)
  const headers = readHeaders(own(response, 'headers'))
  if (typeof status !== 'number' || status < 100 || status > 599 || headers === undefined) return undefined
  if (response === value && !Object.keys(value).every(key => fieldName.test(key))) return undefined
  const request = isRecord(value.request) ? value.request : {}
  const body = ['body', 'data', 'text', 'content', 'json'].map(key => own(response, key)).find(one => one !== undefined)
  const exchange = toExchange(
    status,
    ownText(response, 'statusText') ?? ownText(response, 'reason') ?? '',
    headers,
    body,
  )
  return {
    ...exchange,
    method: ownText(request, 'method') ?? ownText(response, 'method'),
    url: ownText(request, 'url') ?? ownText(response, 'url'),
  }
}

function readHeaders(value: unknown): [string, string][] | undefined {
  if (!isRecord(value)) return undefined
  const names = Object.keys(value)
  if (names.length > MOST_HEADERS) return undefined
  const isText = (one: unknown): boolean => ['string', 'number'].includes(typeof one)
  const pairs = names.map((name): [string, unknown] => [name, value[name]])
  const isAll = pairs.every(([, one]) => (Array.isArray(one) ? one.every(isText) : isText(one)))
  return isAll ? pairs.map(([name, one]) => [name, Array.isArray(one) ? one.join(', ') : String(one)]) : undefined
}

function toExchange(status: number, statusText: string, headers: HttpExchange['headers'], body: unknown): HttpExchange {
  const type = headers
    .find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    .split(';')[0]
    ?.trim()
    .toLowerCase()
  return { method: undefined, url: undefined, status, statusText, headers, body: readBody(body, type), type }
}

function readBody(body: unknown, type: string | undefined): unknown {
  if (typeof body !== 'string' || body.length > LONGEST_JSON || !/[/+]json$/.test(type ?? '')) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function own(fields: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function ownText(fields: Record<string, unknown>, key: string): string | undefined {
  const value = own(fields, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}
