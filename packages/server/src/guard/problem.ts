import type { ErrorCode } from '@argot/core'

/** Why a request was refused. The response has its status, and the rest as JSON. */
export class Problem extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly more: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    { more = {}, headers = {} }: { more?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.more = more
    this.headers = headers
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, 'SERVER_NOT_FOUND', `There is no ${what}.`)
}

export function tooMany(limit: string, most: number): Problem {
  return new Problem(429, 'SERVER_TOO_MANY', `At most ${most} ${limit} are allowed. Try again later.`, {
    more: { limit, most },
    headers: { 'retry-after': '2' },
  })
}
