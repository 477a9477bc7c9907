import { addSecurityHeaders } from './add-security-headers.ts'
import { checkHostAndOrigin } from './host-origin.ts'
import { notFound, Problem } from './problem.ts'
import { readJson } from './read-body.ts'
import { requestPath } from './request-path.ts'
import { checkToken } from './token.ts'

export interface GuardOptions {
  path: string
  hosts?: readonly string[] | undefined
  /** Required for every request. */
  token?: string | undefined
  bodyBytes: number
  notice: (text: string) => void
}

/** Answers a request that passed the guard. `body` is a POST's JSON, which is already read. */
export type GuardedHandler = (request: Request, body: unknown) => Promise<Response>

/** Adds the guards of `argot serve` to a handler: host names, origins, the token, and the size and type of bodies. */
export function guardRequests(handle: GuardedHandler, options: GuardOptions): (request: Request) => Promise<Response> {
  return async request => {
    try {
      const path = requestPath(request.url)
      checkHostAndOrigin(request, path, options)
      checkToken(request, options.token)
      if (path !== options.path) throw notFound('page at this address')
      const body = request.method === 'POST' ? await readJson(request, options.bodyBytes) : undefined
      return addSecurityHeaders(await handle(request, body))
    } catch (error) {
      return addSecurityHeaders(toResponse(error, options.notice))
    }
  }
}

function toResponse(error: unknown, notice: (text: string) => void): Response {
  if (error instanceof Problem) {
    const { status, code, message, more, headers } = error
    return Response.json({ code, message, ...more }, { status, headers })
  }
  notice(`A bug in Argot: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  const message = 'The server could not do this. Its output says why.'
  return Response.json({ code: 'SERVER_FAILED', message }, { status: 500 })
}
