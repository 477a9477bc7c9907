import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { ResolverOptions } from '@argot/agent/internal'
import { onTestFinished } from 'vitest'
import { certificate } from './certificate.ts'

/** The only address that tests connect to by default. */
export const LOOPBACK: ResolverOptions = { allowPrivateAddresses: ['127.0.0.1'] }

export interface Served {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  url: string
  port: number
  /** What was asked for, `METHOD /path`. */
  requests: string[]
}

/** A real HTTP server on this machine that ends with the test. */
export async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<Served> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.on('error', () => {})
    listener(request, response)
  })
  const port = await listen(server, host)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, requests }
}

/** The same over TLS, with a certificate that nobody trusts. */
export async function serveTls(listener: RequestListener): Promise<Served> {
  const requests: string[] = []
  const server = createTlsServer(certificate, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  const port = await listen(server, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://127.0.0.1:${port}`, port, requests }
}

/** Serves one reply with these headers for every request. */
export function reply(body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
    response.end(body)
  }
}

/** A server that speaks bytes, for replies that no HTTP library would send. */
export async function serveBytes(listener: (socket: Socket) => void): Promise<Served> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', data => {
      requests.push(data.toString('latin1').split(' HTTP')[0]!)
      listener(socket)
    })
  })
  const port = await listen(server, '127.0.0.1')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, port, requests }
}

export async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}
