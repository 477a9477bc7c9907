import { isLoopbackName } from './host-origin.ts'

/** Addresses of the machine itself. */
const loopback = /^(?:::ffff:)?127\.|^::1$/

/** What proxies add. A request that has one of these came through a proxy, whatever its socket says. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

interface Socket {
  remoteAddress?: string
  encrypted?: boolean
}

/** The socket of a request, if the HTTP server tells. */
function findSocket(env: unknown): Socket | undefined {
  return (env as { incoming?: { socket?: Socket } } | undefined)?.incoming?.socket
}

/** The other end of the socket; undefined if the HTTP server doesn't tell. */
export function remoteAddress(env: unknown): string | undefined {
  return findSocket(env)?.remoteAddress
}

export function isLoopbackAddress(address: string): boolean {
  return loopback.test(address)
}

/**
 * Whether no one on the way can read a request: it comes from this machine, or over TLS. A proxy is believed only if the
 * server trusts it. In doubt this is false.
 */
export function isPrivateConnection(request: Request, env: unknown, trustsProxy: boolean): boolean {
  const { headers, url } = request
  if (forwarding.some(name => headers.has(name))) {
    const protocols = headers.get('x-forwarded-proto')?.split(',') ?? []
    return trustsProxy && protocols.length > 0 && protocols.every(one => one.trim().toLowerCase() === 'https')
  }
  const socket = findSocket(env)
  // A request may name any protocol in its first line: the socket knows.
  if (socket === undefined) return new URL(url).protocol === 'https:'
  if (socket.encrypted === true) return true
  const host = headers.get('host') ?? new URL(url).host
  return socket.remoteAddress !== undefined && isLoopbackAddress(socket.remoteAddress) && isLoopbackName(host)
}
