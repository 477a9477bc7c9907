import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { folderStore, type Store, type Tool } from '@argot/agent'
import { type Chunk, decodeSse, type Message } from '@argot/core'
import { type ArgotServer, createServer, type RunResource, type ServerOptions } from '@argot/server'
import { onTestFinished } from 'vitest'
import { type ScriptedStep, scriptedModel } from '../../agent/test/scripted-model.ts'

export interface ServedFolder {
  folder: string
  server: ArgotServer
  model: ReturnType<typeof scriptedModel>
  /** Asks the server, as a program on this machine does. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  get<Value = RunResource>(path: string): Promise<Value>
  post<Value = RunResource>(path: string, body: unknown): Promise<Value>
  read(path: string): Promise<string>
  /** Waits until a run is in one of these states. */
  until(run: string, ...states: string[]): Promise<RunResource>
  /** The server leaves, and another one comes. */
  restart(steps: readonly ScriptedStep[], options?: Partial<ServerOptions>): Promise<ServedFolder>
}

export interface ServeOptions extends Partial<ServerOptions> {
  files?: Record<string, string>
  tools?: readonly Tool[]
  before?: Parameters<typeof scriptedModel>[1] extends infer Options ? Options : never
  /** Another store over the one of the folder. */
  over?: (store: Store) => Store
}

/** Nothing in a test takes so long, on the busiest machine. */
const UNTIL_MS = 60_000

/** A server over a folder of its own, with a model that says what it is told. */
export async function serveFolder(
  steps: readonly ScriptedStep[],
  { files = {}, tools = [], before, ...options }: ServeOptions = {},
): Promise<ServedFolder> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-server-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'docs', name)), { recursive: true })
    await writeFile(join(folder, 'docs', name), text)
  }
  await mkdir(join(folder, 'docs'), { recursive: true })
  return openFolder(folder, steps, tools, before, options)
}

/** A server over a folder that is there, with `docs` and `state` in it. */
export async function openFolder(
  folder: string,
  steps: readonly ScriptedStep[],
  tools: readonly Tool[],
  before: ServeOptions['before'],
  { over = store => store, ...options }: Omit<ServeOptions, 'files' | 'tools' | 'before'>,
): Promise<ServedFolder> {
  const model = scriptedModel(steps, before ?? {})
  const docs = join(folder, 'docs')
  const server = createServer({
    store: over(folderStore(docs, { key: Buffer.alloc(32, 7) })),
    stateFolder: join(folder, 'state'),
    ...options,
    run: { model, tools, env: {}, cwd: docs, configFolder: join(folder, 'config'), ...options.run },
  })
  onTestFinished(() => server.close())
  const ask: ServedFolder['ask'] = async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string' && method === 'PUT'
    const answer = await server.fetch(
      new Request(`http://127.0.0.1:4176${path}`, {
        method,
        headers: { ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      }),
    )
    checkDescribed(server, method, path, answer.status)
    return answer
  }
  const read = async (response: Promise<Response>): Promise<never> => (await response).json() as Promise<never>
  return {
    folder: docs,
    server,
    model,
    ask,
    get: path => read(ask('GET', path)),
    post: (path, body) => read(ask('POST', path, body)),
    read: path => readFile(join(docs, path), 'utf8'),
    async until(run, ...states) {
      let found: RunResource | undefined
      for (const begun = Date.now(); Date.now() - begun < UNTIL_MS; ) {
        // Before each look: server and test share a thread, and whoever looks again and again would leave it no time.
        await new Promise(resolve => setTimeout(resolve, 10))
        found = (await read(ask('GET', `/api/runs/${run}`))) as RunResource
        if (states.includes(found.state)) return found
        if (['done', 'failed', 'stopped', undefined].includes(found.state)) break
      }
      throw new Error(`The run is not ${states.join(' or ')}, but ${JSON.stringify(found)}.`)
    },
    async restart(next, others = {}) {
      await server.close()
      return openFolder(folder, next, tools, before, { over, ...options, ...others })
    },
  }
}

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

/** Throws where the OpenAPI document does not have this answer of a route. */
export function checkDescribed({ openapi }: ArgotServer, method: string, address: string, status: number): void {
  const at = address.replace(/\?.*$/s, '')
  for (const [path, operations] of Object.entries((openapi as Described).paths)) {
    const pattern = path
      .replace('{path}', '.+\\.chatmd')
      .replace('{chat}', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')
    const operation = operations[method.toLowerCase()]
    if (operation === undefined || !new RegExp(`^${pattern}$`, 's').test(at)) continue
    if (operation.responses[status] === undefined) throw new Error(`${method} ${path} does not describe ${status}.`)
    return
  }
}

export interface Event {
  id: string | undefined
  chunk: Chunk
}

/** The events of a stream, to its end. */
export async function readEvents(response: Response): Promise<{ events: Event[]; isDone: boolean }> {
  const decoder = decodeSse()
  const events: Event[] = []
  const take = (list: ReturnType<typeof decoder.push>): void => {
    for (const { id, chunk } of list) events.push({ id, chunk: chunk as Chunk })
  }
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) take(decoder.push(bytes))
  take(decoder.end())
  return { events, isDone: decoder.done }
}

export function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('')
}
