import { isLoopbackName } from './host-origin.ts'

const loopback = /^(?:::ffff:)?127\.|^::1$/

/** Headers that proxies add. A request with one of these came through a proxy, whatever its socket says. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

interface Socket {
  remoteAddress?: string
  encrypted?: boolean
}

function findSocket(env: unknown): Socket | undefined {
  return (env as { incoming?: { socket?: Socket } } | undefined)?.incoming?.socket
}

export function remoteAddress(env: unknown): string | undefined {
  return findSocket(env)?.remoteAddress
}

export function isLoopbackAddress(address: string): boolean {
  return loopback.test(address)
}

/**
 * No one on the network can read the request: it comes from this machine, or over TLS. Headers of a proxy apply only if
 * the server trusts it. False if in doubt.
 */
export function isPrivateConnection(request: Request, env: unknown, trustsProxy: boolean): boolean {
  const { headers, url } = request
  if (proxyHeaders.some(name => headers.has(name))) {
    const protocols = headers.get('x-forwarded-proto')?.split(',') ?? []
    return trustsProxy && protocols.length > 0 && protocols.every(one => one.trim().toLowerCase() === 'https')
  }
  const socket = findSocket(env)
  // A request may name any protocol in its first line, so use the socket.
  if (socket === undefined) return new URL(url).protocol === 'https:'
  if (socket.encrypted === true) return true
  const host = headers.get('host') ?? new URL(url).host
  return socket.remoteAddress !== undefined && isLoopbackAddress(socket.remoteAddress) && isLoopbackName(host)
}
