import { Problem } from './problem.ts'

/**
 * A request's path in normal form: dot segments resolved, every segment decoded once and encoded again. The router and
 * the guard both use this path, so an address can't be a page for one and the API for the other. Throws if the address
 * can't be decoded, or contains a control character or a backslash.
 */
export function requestPath(url: string): string {
  const { pathname } = parseUrl(url)
  return pathname
    .split('/')
    .map(segment => encodeURIComponent(decode(segment)))
    .join('/')
}

function parseUrl(url: string): URL {
  try {
    return new URL(url)
  } catch (error) {
    throw badAddress(error)
  }
}

function decode(segment: string): string {
  let name: string
  try {
    name = decodeURIComponent(segment)
  } catch (error) {
    throw badAddress(error)
  }
  if (/[\u0000-\u001f\u007f\\]/.test(name)) throw badAddress()
  return name
}

function badAddress(cause?: unknown): Problem {
  const message = 'The address contains a bad percent encoding, a control character or a backslash.'
  const problem = new Problem(400, 'SERVER_BAD_PATH', message)
  problem.cause = cause
  return problem
}

/** Expects a path from `requestPath`. Any other path is a page. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/api/')
}
