import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** What frameworks such as Next.js, Hono and SvelteKit do for a route handler, on a free port of this machine. */
export async function listen(
  handler: (request: Request) => Promise<Response>,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((incoming, outgoing) => void answer(handler, incoming, outgoing))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const body: Buffer[] = []
  for await (const piece of incoming) body.push(piece as Buffer)
  const headers = new Headers(incoming.headers as Record<string, string>)
  const init = { method: incoming.method ?? 'GET', headers, signal: gone.signal }
  const url = `http://${incoming.headers.host}${incoming.url}`
  const response = await handler(
    new Request(url, body.length === 0 ? init : { ...init, body: Buffer.concat(body).toString() }),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) outgoing.end()
  else Readable.fromWeb(response.body as never).pipe(outgoing)
}
