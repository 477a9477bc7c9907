import { randomUUID } from 'node:crypto'
import { isRecord } from '@argot/core/stream/internal'
import { listen } from '@argot/server'
import { guardRequests, type Listening, Problem, tooMany } from '@argot/server/internal'
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { mcpServerFactory } from './create-mcp-server.ts'
import type { McpService } from './mcp-service.ts'
import { watchFolder } from './watch-folder.ts'

export interface HttpOptions {
  host: string
  port: number | undefined
  hosts: readonly string[]
  token: string | undefined
  signal: AbortSignal
}

export const mcpPath = '/mcp'
const FIRST_PORT = 4178
const BODY_BYTES = 4 * 1024 * 1024
const MOST_SUBSCRIPTIONS = 64

/**
 * Serves Streamable HTTP with the guard of `argot serve`. Since protocol 2026-07-28 every request is self-contained.
 * Clients of earlier versions have sessions.
 */
export async function serveOverHttp(service: McpService, options: HttpOptions): Promise<Listening> {
  const create = mcpServerFactory(service)
  const report = ({ message }: Error): void => service.notice(message.slice(0, 1000))
  const modern = createMcpHandler(create, {
    legacy: 'reject',
    onerror: report,
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    maxRequestBodySize: BODY_BYTES,
  })
  const sessions = new HttpSessions(create, report)
  const fetch = guardRequests(
    async (request, parsedBody) => {
      const isLegacy = await isLegacyRequest(request, parsedBody)
      return isLegacy ? sessions.handle(request, parsedBody) : modern.fetch(request, { parsedBody })
    },
    { path: mcpPath, hosts: options.hosts, token: options.token, bodyBytes: BODY_BYTES, notice: service.notice },
  )
  const { host, port, signal } = options
  const listening = await listen({ fetch }, { host, port, firstPort: FIRST_PORT })
  const watching = watchFolder(service, signal, () => {
    modern.notify.toolsChanged()
    modern.notify.promptsChanged()
    modern.notify.resourcesChanged()
    sessions.notifyChanged()
  })
  return {
    ...listening,
    async close() {
      const closing = listening.close()
      await service.calls.close()
      await modern.close()
      await sessions.close()
      await closing
      await watching
    },
  }
}

interface Session {
  server: Server
  transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
}

const MOST_SESSIONS = 64
/** A session that is idle for this long makes room for another one. */
const IDLE_MS = 30 * 60_000

/** Sessions of clients that speak a protocol version before 2026-07-28. */
class HttpSessions {
  readonly #create: () => Server
  readonly #report: (error: Error) => void
  readonly #sessions = new Map<string, Session>()

  constructor(create: () => Server, report: (error: Error) => void) {
    this.#create = create
    this.#report = report
  }

  async handle(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await this.#begin(parsedBody) : this.#sessions.get(id)
    if (session === undefined) throw new Problem(404, 'SERVER_NOT_FOUND', 'There is no such session. Start a new one.')
    session.usedAt = Date.now()
    return session.transport.handleRequest(request, { parsedBody })
  }

  notifyChanged(): void {
    for (const { server } of this.#sessions.values()) {
      void server.sendToolListChanged().catch(() => {})
      void server.sendPromptListChanged().catch(() => {})
      void server.sendResourceListChanged().catch(() => {})
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map(({ server }) => server.close()))
  }

  /** Only a handshake starts a session. */
  async #begin(body: unknown): Promise<Session> {
    if (!isRecord(body) || body.method !== 'initialize') {
      throw new Problem(
        400,
        'SERVER_BAD_BODY',
        'Start with `initialize`, then send its `mcp-session-id` with each request.',
      )
    }
    await this.#makeRoom()
    const server = this.#create()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: id => void this.#sessions.set(id, session),
      maxRequestBodySize: BODY_BYTES,
    })
    const session: Session = { server, transport, usedAt: Date.now() }
    server.onerror = this.#report
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    return session
  }

  async #makeRoom(): Promise<void> {
    for (const { server, usedAt } of this.#sessions.values()) {
      if (Date.now() - usedAt > IDLE_MS) await server.close()
    }
    if (this.#sessions.size >= MOST_SESSIONS) throw tooMany('sessions', MOST_SESSIONS)
  }
}
