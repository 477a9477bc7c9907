import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Io } from '../io/io.ts'
import { mcpServerFactory } from './create-mcp-server.ts'
import type { McpService } from './mcp-service.ts'
import { watchFolder } from './watch-folder.ts'

/** The maximum size of a client message, in bytes. A longer one ends the connection. */
const MESSAGE_BYTES = 4 * 1024 * 1024

/** Serves one client over standard input and output until it closes them or the signal aborts. Then calls `onEnd`. */
export async function serveOverStdio(
  service: McpService,
  io: Io,
  signal: AbortSignal,
  onEnd: () => void,
): Promise<void> {
  const create = mcpServerFactory(service)
  const servers = new Set<ReturnType<typeof create>>()
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const transport = new WatchedTransport(io, end)
  const handle = serveStdio(
    () => {
      const server = create()
      servers.add(server)
      return server
    },
    { transport, onerror: ({ message }) => service.notice(message.slice(0, 1000)) },
  )
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const watching = watchFolder(service, ending.signal, () => {
    for (const server of servers) {
      // A client that only probed, or is gone, can't be notified.
      void server.sendToolListChanged().catch(() => {})
      void server.sendPromptListChanged().catch(() => {})
      void server.sendResourceListChanged().catch(() => {})
    }
  })
  await new Promise<void>(resolve => {
    if (ending.signal.aborted) resolve()
    ending.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  onEnd()
  await service.calls.close()
  await handle.close()
  await watching
}

class WatchedTransport extends StdioServerTransport {
  readonly #onEnd: () => void

  constructor({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>, onEnd: () => void) {
    super(stdin, stdout, { maxBufferSize: MESSAGE_BYTES })
    this.#onEnd = onEnd
  }

  override async close(): Promise<void> {
    this.#onEnd()
    await super.close()
  }
}
