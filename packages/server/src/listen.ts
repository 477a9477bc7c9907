import type { Server } from 'node:http'
import { ArgotError } from '@argot/core'
import { serve } from '@hono/node-server'
import type { ArgotServer } from './create-server.ts'
import { claimConnection } from './own-connection.ts'

export interface ListenOptions {
  /** The address to listen on; loopback by default. */
  host?: string | undefined
  /** 0: any free port. By default, the first free port from `firstPort` on. */
  port?: number | undefined
  /** 4176 by default. */
  firstPort?: number | undefined
  /** How long the head of a request may take, in milliseconds; 10 s by default. */
  headersTimeoutMs?: number | undefined
  /** How long a whole request may take, in milliseconds; 30 s by default. */
  requestTimeoutMs?: number | undefined
}

export interface Listening {
  host: string
  port: number
  /** Stops accepting requests and ends the connections. Resolves within a second. */
  close(): Promise<void>
}

const DEFAULT_PORT = 4176
const TRIED_PORTS = 100

/**
 * Listens on Node. A request must arrive within 30 s, and its head within 10 s. Slower clients are disconnected, and
 * don't delay others. Streams can last any time.
 */
export async function listen(server: Pick<ArgotServer, 'fetch'>, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port, firstPort = DEFAULT_PORT } = options
  const last = port ?? firstPort + TRIED_PORTS
  for (let next = port ?? firstPort; ; next++) {
    try {
      return await listenAt(server, host, next, options)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || next >= last) throw toListenError(error, host, next)
    }
  }
}

function toListenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new ArgotError('SERVER_PORT_TAKEN', `Port ${port} is taken. Choose another with --port.`)
  if (code === 'EACCES') return new ArgotError('SERVER_PORT_TAKEN', `This user may not listen on port ${port}.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new ArgotError('SERVER_BAD_ADDRESS', `\`${host}\` is not an address of this machine.`)
  }
  return error
}

function listenAt(
  server: Pick<ArgotServer, 'fetch'>,
  hostname: string,
  port: number,
  { headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 }: ListenOptions,
): Promise<Listening> {
  const serverOptions = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, requestTimeoutMs) / 10,
  }
  const fetch: ArgotServer['fetch'] = (request, env) => {
    claimConnection(env)
    return server.fetch(request, env)
  }
  return new Promise((resolve, reject) => {
    const node = serve({ fetch, hostname, port, serverOptions }, info => {
      node.removeListener('error', reject)
      resolve({ host: hostname, port: info.port, close: () => closeNode(node) })
    }) as Server
    node.once('error', reject)
    node.keepAliveTimeout = 5_000
    node.timeout = 0
    node.maxHeadersCount = 100
  })
}

function closeNode(node: Server): Promise<void> {
  return new Promise(resolve => {
    node.close(() => resolve())
    node.closeIdleConnections()
    const timer = setTimeout(() => node.closeAllConnections(), 500)
    timer.unref()
  })
}
