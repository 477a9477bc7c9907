import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool } from '@argot/agent'
import { type PostgresStore, postgresQueue } from '@argot/postgres'
import { createServer, type ServerOptions } from '@argot/server'
import { z } from 'zod'

/** A server on a store, and a way to ask it. */
export function openServer(store: PostgresStore, more: Partial<ServerOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'argot-pg-'))
  const writeNote = defineTool({
    name: 'write_note',
    description: 'Writes a note.',
    effect: 'write',
    inputSchema: z.object({ content: z.string() }),
    execute: ({ content }) => `Wrote ${content}.`,
  })
  const server = createServer({
    store,
    queue: postgresQueue(store),
    now: store.now,
    ...more,
    run: {
      model: 'demo',
      tools: [writeNote],
      env: {},
      cwd: folder,
      hasFolder: false,
      configFolder: folder,
      now: store.now,
    },
  })
  const ask = async (method: string, path: string, body?: string | object) => {
    const headers =
      body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const response = await server.fetch(new Request(`http://127.0.0.1${path}`, { method, headers, body: text }))
    const answer = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, value: isJson ? JSON.parse(answer) : answer }
  }
  return { server, ask }
}
