import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from './problem.ts'

export const cookieName = 'argot_session'

/** The browser's replacement for the token. It grants the same access but doesn't reveal the token. */
export function toSession(token: string): string {
  return createHash('sha256').update(`argot session\n${token}`).digest('base64url')
}

/** Refuses a request that has neither the token nor a page's session for it. */
export function checkToken(request: Request, token: string | undefined): void {
  if (token === undefined) return
  const [, candidate] = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (candidate !== undefined && isSame(candidate, token)) return
  const cookie = findCookie(request.headers.get('cookie') ?? '')
  if (cookie !== undefined && isSame(cookie, toSession(token))) return
  throw new Problem(401, 'SERVER_NO_TOKEN', 'This server needs its token: `Authorization: Bearer TOKEN`.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

export function sessionCookie(candidate: string, token: string | undefined, isSecure: boolean): string {
  if (token === undefined || !isSame(candidate, token)) {
    throw new Problem(401, 'SERVER_NO_TOKEN', "This is not the server's token.")
  }
  const secure = isSecure ? '; Secure' : ''
  return `${cookieName}=${toSession(token)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000${secure}`
}

function findCookie(header: string): string | undefined {
  for (const pair of header.split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === cookieName) return value
  }
  return undefined
}

/** Takes the same time for any mismatch. */
function isSame(candidate: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(candidate), hash(expected))
}
