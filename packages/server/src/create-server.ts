import { setMaxListeners } from 'node:events'
import { folderStore, type Store } from '@argot/agent'
import { DocumentSearch, findConfigFolder, makeFolders, makeStateKey } from '@argot/agent/internal'
import { ArgotError, type JsonSchema } from '@argot/core'
import { describeSystemError } from '@argot/core/stream/internal'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { ServerProblem } from './api/index.ts'
import { DocumentIndex } from './documents/document-index.ts'
import { DocumentRemoval } from './documents/document-removal.ts'
import { limitDocuments } from './documents/limit-documents.ts'
import { keepRetention } from './documents/retention.ts'
import { ServedHistories } from './documents/served-histories.ts'
import { addSecurityHeaders } from './guard/add-security-headers.ts'
import { compileSchema } from './guard/check-value.ts'
import { checkHostAndOrigin } from './guard/host-origin.ts'
import { defaultLimits, type Limits } from './guard/limits.ts'
import { OpenStreams } from './guard/open-streams.ts'
import { isLoopbackAddress, isPrivateConnection, remoteAddress } from './guard/private-connection.ts'
import { Problem } from './guard/problem.ts'
import { readBody, readJson } from './guard/read-body.ts'
import { isApiPath, requestPath } from './guard/request-path.ts'
import { checkToken } from './guard/token.ts'
import { ownConnection } from './own-connection.ts'
import { servePage } from './page/serve-page.ts'
import { allRoutes } from './routes/all-routes.ts'
import { ApprovalChecks } from './routes/approval-checks.ts'
import { EventResponse } from './routes/event-stream.ts'
import { KeyDesk } from './routes/key-desk.ts'
import { describeRoutes } from './routes/openapi.ts'
import { type AnyRoute, json, type RouteInput } from './routes/route.ts'
import type { ServerContext } from './routes/server-context.ts'
import { ServerChanges } from './runs/feed/changes.ts'
import { RunBook } from './runs/live/run-book.ts'
import { JournalQueue } from './runs/queue/journal-queue.ts'
import type { Queue } from './runs/queue/queue.ts'
import { Relaxations, requireOneProcess } from './runs/relaxations.ts'
import { RunIds } from './runs/run-ids.ts'
import { Runner, type ServerRunOptions } from './runs/runner.ts'
import { Runs } from './runs/runs.ts'

const version = '0.1.0'

export interface ServerOptions {
  /** Where documents and runs are stored: a folder, which is created if it is missing, or a store. */
  store: Store | string
  /** The queue for runs. Stored in `stateFolder` by default. */
  queue?: Queue | undefined
  /**
   * False: this server takes requests and follows runs, and other processes on the same store and queue execute them.
   * True by default.
   */
  workers?: boolean | undefined
  /** False for a process that only runs documents and answers no requests. It doesn't watch documents for browsers. */
  web?: boolean | undefined
  /** This user's folder for the server's own state. Required without a `queue`. */
  stateFolder?: string | undefined
  run?: ServerRunOptions | undefined
  limits?: Partial<Limits> | undefined
  /**
   * How long the trash and the logs of ended runs are kept, in milliseconds. The server removes older ones when it
   * starts and once a day. Without it everything stays.
   */
  retentionMs?: number | undefined
  /** Your own proxy is in front and sets `X-Forwarded-For`. Its last entry is the client for limits and for answers. */
  trustsProxy?: boolean | undefined
  /** Host names of the server, besides those of this machine. `*`: any. */
  hosts?: readonly string[] | undefined
  /**
   * Clients may allow calls in a folder for an hour, if only the policy would ask about them. Only for a server of a
   * folder that runs its documents itself, because this is kept in memory.
   */
  allowRelax?: boolean | undefined
  /** Other origins whose pages may use the server. */
  origins?: readonly string[] | undefined
  /** Required for every request. */
  token?: string | undefined
  /** The folder of the page at `/`. Argot's own page has the playground at `/playground`. */
  page?: string | undefined
  /**
   * Lets clients store provider keys, which every later run uses. Only for a server with one user. Keys must come over
   * loopback or HTTPS, are stored as with `argot keys`, and are never returned. False by default.
   */
  takesKeys?: boolean | undefined
  /** The initial text of a new chat. */
  template?: (() => Promise<string>) | undefined
  /** Called with messages for the person who runs the server. */
  notice?: ((text: string) => void) | undefined
  now?: (() => number) | undefined
}

/** Signs the search index. Run logs are signed with the same key. */
function readStateKey({ env = process.env, configFolder }: ServerRunOptions): Promise<Uint8Array | undefined> {
  return makeStateKey(configFolder ?? findConfigFolder({ env }), env)
}

function openKeyDesk({ configFolder }: ServerRunOptions, env: Record<string, string | undefined>): KeyDesk {
  return new KeyDesk({ configFolder: configFolder ?? findConfigFolder({ env }), env })
}

/** A server as a `fetch` handler, for any HTTP server that supports it. */
export interface ArgotServer {
  fetch(request: Request, env?: unknown): Promise<Response>
  /** Leaves every run unchanged, for the next start to continue. Resolves when no more writes happen. */
  close(): Promise<void>
  /** Aborts when another server has taken over. This server then leaves its runs and accepts nothing more: close it. */
  readonly lost: AbortSignal
  /** The OpenAPI description, the same as `/api/openapi.json`. */
  readonly openapi: unknown
}

/** Serves documents: runs, resumable streams, approvals. Immediately continues runs that an earlier server left. */
export function createServer(options: ServerOptions): ArgotServer {
  const { now = Date.now, notice = () => {}, token } = options
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const ownStore = typeof options.store === 'string' ? openFolder(options.store) : options.store
  const store = limitDocuments(ownStore, limits.documentBytes)
  const queue = options.queue ?? ownQueue(options.stateFolder)
  const env = options.takesKeys === true ? { ...(options.run?.env ?? process.env) } : options.run?.env
  // Documents may read files below the served folder, not below the process's working directory.
  const run: ServerRunOptions = { ...options.run, env, cwd: options.run?.cwd ?? store.root }
  const changes = new ServerChanges()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const leaveCallbacks = new Set<() => void>()
  closing.signal.addEventListener('abort', () => {
    for (const leave of leaveCallbacks) leave()
  })
  const book = new RunBook({
    store,
    queue,
    limits,
    onChange({ run, path, job }) {
      changes.tell({ type: 'run', run })
      const document = path ?? job?.job.document
      if (document !== undefined) changes.tell({ type: 'document', path: document })
    },
  })
  const ids = new RunIds(now)
  const relaxations = openRelaxations(options, store, queue, now)
  const runner = new Runner({
    store,
    queue,
    book,
    run,
    runsAtOnce: limits.runsAtOnce,
    relaxations,
    forward: { next: () => ids.next(), now },
    notice: (text, run) => notice(`${run}: ${text}`),
  })
  const runs = new Runs({ store, queue, book, runner, limits, now, ids })
  const openapi = describeRoutes(allRoutes, version)
  const documents = new DocumentIndex(store, changes)
  const context: ServerContext = {
    store,
    runs,
    queue,
    documents,
    search: new DocumentSearch(store, { key: () => readStateKey(run) }),
    removal: new DocumentRemoval({ store, queue, book, runs, changes, documents }),
    histories: new ServedHistories(now),
    checks: new ApprovalChecks(),
    changes,
    streams: new OpenStreams(limits),
    relaxations,
    limits,
    token,
    keys: options.takesKeys === true ? openKeyDesk(run, env!) : undefined,
    run,
    template: options.template ?? (async () => ''),
    isClosing: () => closing.signal.aborted,
    closing: closing.signal,
    whenClosing: leave => {
      leaveCallbacks.add(leave)
      if (closing.signal.aborted) leave()
      return () => leaveCallbacks.delete(leave)
    },
    openapi: () => openapi,
    now,
  }
  if (options.workers !== false) runner.start()
  void book.watch(closing.signal).catch((error: unknown) => notice(String(error)))
  void runs.wakeAnswered().catch((error: unknown) => notice(String(error)))
  // Otherwise each worker would query every document that any of them changes.
  if (options.web !== false) {
    void watch(context, closing.signal).catch((error: unknown) => notice(String(error)))
  }
  const endRetention = keepRetention({ store, queue, retentionMs: options.retentionMs, now, notice })
  const app = createApp(context, options)
  const lost = queue.lost ?? new AbortController().signal
  const handleTakeover = (): void => {
    notice('Another server has taken over. This one leaves its runs unchanged and accepts no more work.')
    closing.abort()
    void runner.close()
  }
  lost.addEventListener('abort', handleTakeover)
  return {
    openapi,
    lost,
    async fetch(request, env) {
      try {
        requestPath(request.url)
      } catch (error) {
        return addSecurityHeaders(respondTo(error, notice))
      }
      return app.fetch(request, env as object)
    },
    async close() {
      lost.removeEventListener('abort', handleTakeover)
      endRetention()
      closing.abort()
      await runner.close()
      runs.close()
      if (queue instanceof JournalQueue && options.queue === undefined) await queue.close()
    },
  }
}

function openRelaxations(
  { allowRelax, workers, notice = () => {} }: ServerOptions,
  { root }: Store,
  queue: Queue,
  now: () => number,
): Relaxations | undefined {
  if (allowRelax !== true) return undefined
  requireOneProcess(root !== undefined && workers !== false && queue.watch === undefined)
  return new Relaxations({ root: root!, now, notice })
}

function openFolder(folder: string): Store {
  return usingFolder('documents', () => {
    makeFolders(folder)
    return folderStore(folder)
  })
}

/** Throws `SERVER_BAD_FOLDER` with a one-sentence reason if the system refuses a folder. */
function usingFolder<T>(what: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    const problem = describeSystemError(error)
    if (problem === undefined) throw error
    throw new ArgotError('SERVER_BAD_FOLDER', `The server cannot use the folder for ${what}. ${problem}`, {
      cause: error,
    })
  }
}

function ownQueue(folder: string | undefined): Queue {
  if (folder !== undefined) return usingFolder('its state', () => new JournalQueue(folder))
  throw new ArgotError('SERVER_NO_STATE', 'The server needs its own folder. Set `stateFolder`, or pass a `queue`.')
}

/** Other processes also change documents: a terminal may run them and end what waited here. */
async function watch(
  { store, documents, runs, changes }: Pick<ServerContext, 'store' | 'documents' | 'runs' | 'changes'>,
  signal: AbortSignal,
): Promise<void> {
  const current = new Map<string, string>()
  for await (const path of store.documents.watch(signal)) {
    documents.forget(path)
    changes.tell({ type: 'document', path })
    const run = await runs.documentChanged(path)
    const before = current.get(path)
    if (run === undefined) current.delete(path)
    else current.set(path, run)
    for (const one of new Set([before, run])) if (one !== undefined) changes.tell({ type: 'run', run: one })
  }
}

function createApp(context: ServerContext, options: ServerOptions): Hono {
  const app = new Hono({ getPath: request => requestPath(request.url) })
  for (const route of allRoutes) {
    const checkBody = typeof route.body === 'object' ? compileSchema(route.body) : undefined
    const query = Object.entries(route.query ?? {}).map(([name, { schema }]) => ({
      name,
      schema,
      check: compileSchema(schema),
    }))
    app.on(route.method, honoPath(route.path), async c => {
      try {
        const { req } = c
        checkHostAndOrigin(req.raw, req.path, options)
        if (route.isOpen !== true) checkToken(req.raw, options.token)
        const input: RouteInput<never> = {
          request: req.raw,
          params: req.param() as Record<string, string>,
          query: checkQuery(query, req.query()),
          // The route's schema has checked it.
          body: (await readCheckedBody(route, req.raw, context.limits, checkBody)) as never,
          server: context,
          client: getClient(c.env, options.trustsProxy === true ? req.raw : undefined),
          isPrivate: isPrivateConnection(req.raw, c.env, options.trustsProxy === true),
        }
        return await deliver(addSecurityHeaders(await withoutBodyForHead(req.raw, await route.handle(input))), c.env)
      } catch (error) {
        return addSecurityHeaders(respondTo(error, options.notice))
      }
    })
  }
  for (const [path, allow] of allowedMethods()) {
    app.all(path, c => {
      try {
        checkHostAndOrigin(c.req.raw, c.req.path, options)
        throw badMethod(c.req.method, allow)
      } catch (error) {
        return addSecurityHeaders(respondTo(error, options.notice))
      }
    })
  }
  app.notFound(async c => {
    try {
      checkHostAndOrigin(c.req.raw, c.req.path, options)
      if (options.page !== undefined && !isApiPath(c.req.path)) {
        if (!['GET', 'HEAD'].includes(c.req.method)) throw badMethod(c.req.method, 'GET, HEAD')
        return addSecurityHeaders(await servePage(options.page, c.req.path, c.req.raw))
      }
      throw new Problem(404, 'SERVER_NOT_FOUND', 'There is nothing at this address.')
    } catch (error) {
      return addSecurityHeaders(respondTo(error, options.notice))
    }
  })
  return app
}

function allowedMethods(): Map<string, string> {
  const methods = new Map<string, Set<string>>()
  for (const { path, method } of allRoutes) {
    const all = methods.get(honoPath(path)) ?? new Set()
    methods.set(honoPath(path), all.add(method))
    if (method === 'GET') all.add('HEAD')
  }
  return new Map(Array.from(methods, ([path, all]) => [path, [...all].sort().join(', ')]))
}

function badMethod(method: string, allow: string): Problem {
  return new Problem(405, 'SERVER_BAD_METHOD', `${method.slice(0, 20)} is not allowed here. Use ${allow}.`, {
    headers: { allow },
  })
}

/** Sends only the head for `HEAD`, and cancels a stream that won't be read. */
async function withoutBodyForHead({ method }: Request, response: Response): Promise<Response> {
  if (method === 'HEAD' && response instanceof EventResponse) {
    await response.cancel()
    return new Response(null, { headers: response.headers })
  }
  if (method !== 'HEAD' || response.body === null) return response
  await response.body.cancel()
  return new Response(null, { status: response.status, headers: response.headers })
}

/** Writes events directly to the connection if this server listens itself. Other servers get a `Response` to read. */
async function deliver(response: Response, env: unknown): Promise<Response> {
  if (!(response instanceof EventResponse)) return response
  const outgoing = ownConnection(env)
  if (outgoing === undefined) return response.toWeb()
  response.sendTo(outgoing)
  return RESPONSE_ALREADY_SENT
}

/**
 *   /api/documents/{path}/messages
 *   /api/documents/:path{.+\.chatmd}/messages
 */
function honoPath(path: string): string {
  return path
    .replace('{path}', ':path{.+\\.chatmd}')
    .replace('{chat}', ':chat{.+}')
    .replaceAll(/\{(\w+)\}/g, ':$1')
}

interface QueryParameter {
  name: string
  schema: JsonSchema
  check: ReturnType<typeof compileSchema>
}

function checkQuery(
  parameters: readonly QueryParameter[],
  query: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const { name, schema, check } of parameters) {
    const text = query[name]
    if (text === undefined) continue
    if (check(schema.type === 'integer' ? Number(text) : text, '#') !== undefined) {
      throw new Problem(400, 'SERVER_BAD_QUERY', `\`${name}\` doesn't match its schema: ${JSON.stringify(schema)}.`)
    }
    values[name] = text
  }
  return values
}

async function readCheckedBody(
  { body, bodyBytes = Number.POSITIVE_INFINITY }: AnyRoute,
  request: Request,
  limits: Limits,
  check: ReturnType<typeof compileSchema> | undefined,
): Promise<unknown> {
  if (body === undefined) return undefined
  if (body === 'text') return readBody(request, limits.documentBytes)
  const value = await readJson(request, Math.min(bodyBytes, limits.bodyBytes))
  const problem = check?.(value, '#')
  if (problem === undefined) return value
  const { at, message } = problem
  throw new Problem(400, 'SERVER_BAD_BODY', `The body doesn't match its schema at \`${at.slice(0, 200)}\`: ${message}`)
}

/** The client's address from the HTTP server or the trusted proxy. `local` on this machine. */
function getClient(env: unknown, forwarded: Request | undefined): string {
  const forwardedAddress = forwarded?.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  if (forwardedAddress !== undefined && forwardedAddress !== '') return forwardedAddress.slice(0, 100)
  const address = remoteAddress(env)
  return address === undefined || isLoopbackAddress(address) ? 'local' : address
}

function respondTo(error: unknown, notice: (text: string) => void = () => {}): Response {
  if (error instanceof Problem) {
    const { status, code, message, more, headers } = error
    return json<ServerProblem>({ code, message, ...more }, status, headers)
  }
  if (error instanceof ArgotError) {
    const headers: Record<string, string> = isTemporary(error) ? { 'retry-after': '2' } : {}
    return json<ServerProblem>({ code: error.code, message: error.message }, getStatus(error), headers)
  }
  if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') {
    return json<ServerProblem>({ code: 'SERVER_NOT_FOUND', message: 'There is no such document.' }, 404)
  }
  const system = describeSystemError(error)
  notice(system ?? `A bug in Argot: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  const isFull = (error as NodeJS.ErrnoException | null)?.code === 'ENOSPC'
  const message = isFull ? "The server's disk is full." : 'The server could not do this. Its output says why.'
  return json<ServerProblem>({ code: isFull ? 'SERVER_DISK_FULL' : 'SERVER_FAILED', message }, isFull ? 507 : 500)
}

/** Another server, or this one a moment later, can handle it. */
function isTemporary({ code }: ArgotError): boolean {
  return code === 'SERVER_LOCK_LOST' || code === 'STORE_UNAVAILABLE'
}

function getStatus(error: ArgotError): number {
  const { code } = error
  if (isTemporary(error)) return 503
  if (code === 'RUN_NOT_FOUND' || code === 'RUN_MESSAGE_NOT_FOUND' || code === 'RUN_NOT_IN_TRASH') return 404
  if (code === 'RUN_LOCKED' || code === 'RUN_FILE_CHANGED' || code === 'RUN_OUTPUT_EXISTS') return 409
  return code === 'RUN_POST_TOO_LONG' ? 413 : 422
}
