import { Problem } from './problem.ts'
import { isApiPath } from './request-path.ts'

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

interface HostOriginOptions {
  /** Host names of the server, besides those of this machine. `*`: any. */
  hosts?: readonly string[] | undefined
  /** Other origins whose pages may use the server. */
  origins?: readonly string[] | undefined
}

/**
 * Refuses requests from other sites' pages in the user's browser: a host name that was pointed here (DNS rebinding),
 * and a form, fetch or image of another site. Programs send none of these headers and pass. `path` is the one that the
 * router uses.
 */
export function checkHostAndOrigin(
  request: Request,
  path: string,
  { hosts = [], origins = [] }: HostOriginOptions,
): void {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const name = toHostname(host)
  if (!isLoopbackName(host) && !hosts.includes('*') && !hosts.includes(name)) {
    throw new Problem(421, 'SERVER_BAD_HOST', "The server doesn't accept this host name.")
  }
  const origin = request.headers.get('origin')
  if (origin !== null && !origins.includes(origin) && !isOwn(origin, host)) throw crossSite()
  if (origin !== null && origins.includes(origin)) return
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none' && !isPageVisit(request, path)) throw crossSite()
}

export function isLoopbackName(host: string): boolean {
  return loopback.has(toHostname(host))
}

function toHostname(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}

function isOwn(origin: string, host: string): boolean {
  const lower = host.toLowerCase()
  return origin.toLowerCase() === `http://${lower}` || origin.toLowerCase() === `https://${lower}`
}

/** A link on another site may lead to the page, but it can't change anything. */
function isPageVisit({ method, headers }: Request, path: string): boolean {
  return method === 'GET' && !isApiPath(path) && headers.get('sec-fetch-mode') === 'navigate'
}

function crossSite(): Problem {
  return new Problem(403, 'SERVER_CROSS_SITE', 'Pages from other sites may not use this server.')
}
