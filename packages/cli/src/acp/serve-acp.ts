import { randomBytes } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk/unstable'
import { folderStore, type RunOptions, type Store } from '@argot/agent'
import { type ApprovalMode, describeDocument, newestDocuments } from '@argot/agent/internal'
import { ArgotError, type Message } from '@argot/core'
import { visibleLine } from '@argot/core/stream/internal'
import { readMessages } from '../documents/read-messages.ts'
import type { Io } from '../io/io.ts'
import { version } from '../io/version.ts'
import { AcpSession, hasForms } from './acp-session.ts'
import { declareServers, newDocument } from './new-document.ts'
import { SessionSettings } from './session-settings.ts'

export interface AcpOptions {
  io: Io
  /** Sessions work in this folder or below it. Without it, they work anywhere. */
  folder: string | undefined
  template: string | undefined
  approve: ApprovalMode | undefined
  model: string | undefined
  syntax: string | undefined
  run: RunOptions
  notice: (text: string) => void
}

/** The limit for one client message. Prompts can contain images. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const MAX_SESSIONS = 64
const PAGE_SIZE = 50
const CHATS = 'chats'

/** Speaks the Agent Client Protocol on standard input and output until the client disconnects. */
export async function serveAcp(options: AcpOptions): Promise<void> {
  const { stdin, stdout } = options.io
  const stream = ndJsonStream(
    Writable.toWeb(stdout as Writable) as WritableStream<Uint8Array>,
    Readable.toWeb(stdin as Readable) as ReadableStream<Uint8Array>,
    { maxMessageBytes: MAX_MESSAGE_BYTES },
  )
  const sessions = new AcpSessions(options)
  const connection = createAcpAgent(sessions).connect(stream)
  await connection.closed
  await sessions.close()
}

function createAcpAgent(sessions: AcpSessions): ReturnType<typeof agent> {
  const { session: sessionMethods } = methods.agent
  return agent({ name: 'argot' })
    .onRequest(
      methods.agent.initialize,
      withProtocolErrors(async ({ params }) => {
        sessions.capabilities = params.clientCapabilities ?? {}
        sessions.person = visibleLine(params.clientInfo?.title ?? params.clientInfo?.name ?? 'editor').slice(0, 64)
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: 'argot', title: 'Argot', version },
          authMethods: [],
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, audio: false, embeddedContext: true },
            mcpCapabilities: { http: true, sse: false },
            sessionCapabilities: { list: {}, resume: {}, fork: {}, close: {} },
          },
        }
      }),
    )
    .onRequest(
      sessionMethods.new,
      withProtocolErrors(async ({ params, client }) => {
        const session = await sessions.create(params.cwd, params.mcpServers, client)
        return { sessionId: session.id, modes: session.settings.modes, configOptions: session.settings.options }
      }),
    )
    .onRequest(
      sessionMethods.load,
      withProtocolErrors(async ({ params, client }) => {
        const { session, messages } = await sessions.open(params.sessionId, params.cwd, client)
        await session.show(messages)
        return { modes: session.settings.modes, configOptions: session.settings.options }
      }),
    )
    .onRequest(
      sessionMethods.resume,
      withProtocolErrors(async ({ params, client }) => {
        const { session, messages } = await sessions.open(params.sessionId, params.cwd, client)
        session.skip(messages)
        return { modes: session.settings.modes, configOptions: session.settings.options }
      }),
    )
    .onRequest(
      sessionMethods.fork,
      withProtocolErrors(async ({ params, client }) => {
        const session = await sessions.fork(params.sessionId, params.cwd, client)
        return { sessionId: session.id, modes: session.settings.modes, configOptions: session.settings.options }
      }),
    )
    .onRequest(
      sessionMethods.list,
      withProtocolErrors(({ params }) => sessions.list(params.cwd ?? undefined, params.cursor ?? undefined)),
    )
    .onRequest(
      sessionMethods.close,
      withProtocolErrors(async ({ params }) => {
        await sessions.leave(params.sessionId)
        return {}
      }),
    )
    .onRequest(
      sessionMethods.setMode,
      withProtocolErrors(async ({ params }) => {
        sessions.get(params.sessionId).settings.setMode(params.modeId)
        return {}
      }),
    )
    .onRequest(
      sessionMethods.setConfigOption,
      withProtocolErrors(async ({ params }) => {
        const { settings } = sessions.get(params.sessionId)
        settings.setOption(params.configId, params.value)
        return { configOptions: settings.options }
      }),
    )
    .onRequest(
      sessionMethods.prompt,
      withProtocolErrors(async ({ params }) => sessions.get(params.sessionId).prompt(params.prompt)),
    )
    .onNotification(sessionMethods.cancel, ({ params }) => sessions.find(params.sessionId)?.cancel())
}

/** Converts Argot's refusals to protocol errors that give the reason. */
function withProtocolErrors<Context, Result>(handle: (context: Context) => Promise<Result>): typeof handle {
  return async context => {
    try {
      return await handle(context)
    } catch (error) {
      if (error instanceof ArgotError) throw new RequestError(-32602, error.message, { code: error.code })
      throw error
    }
  }
}

class AcpSessions {
  readonly #options: AcpOptions
  readonly #sessions: Map<string, AcpSession> = new Map()
  capabilities: ClientCapabilities = {}
  person = 'editor'

  constructor(options: AcpOptions) {
    this.#options = options
  }

  find(id: string): AcpSession | undefined {
    return this.#sessions.get(id)
  }

  get(id: string): AcpSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw RequestError.resourceNotFound(id.slice(0, 200))
    return session
  }

  async create(cwd: string, servers: readonly McpServer[], client: AgentContext): Promise<AcpSession> {
    const root = await this.#workFolder(cwd)
    const store = this.#store(root)
    const text = `${newDocument(this.#options.template, hasForms(this.capabilities))}${declareServers(servers)}`
    const path = `${CHATS}/${dateName()}-${randomBytes(3).toString('hex')}.chatmd`
    await store.documents.write(path, text, {})
    return this.#add(path, root, store, client)
  }

  async open(id: string, cwd: string, client: AgentContext): Promise<OpenedSession> {
    await this.leave(id)
    return this.read(id, cwd, client)
  }

  async read(id: string, cwd: string, client: AgentContext): Promise<OpenedSession> {
    const root = await this.#workFolder(cwd)
    const store = this.#store(root)
    const messages = await this.#readMessages(store, id, root)
    return { session: this.#add(id, root, store, client), messages }
  }

  async fork(id: string, cwd: string, client: AgentContext): Promise<AcpSession> {
    const root = await this.#workFolder(cwd)
    const store = this.#store(root)
    await this.#readMessages(store, id, root)
    const { text } = await store.documents.read(id)
    const { session, messages } = await this.read(await store.documents.branch(id, text), cwd, client)
    session.skip(messages)
    return session
  }

  async list(cwd: string | undefined, cursor = '0'): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> {
    const root = await this.#workFolder(cwd ?? this.#options.folder ?? this.#options.io.cwd())
    if (!/^\d{1,9}$/.test(cursor))
      throw RequestError.invalidParams(undefined, "The cursor doesn't belong to this list.")
    const from = Number(cursor)
    const store = this.#store(root)
    const documents = await newestDocuments(store)
    const next = from + PAGE_SIZE
    const page = await Promise.all(documents.slice(from, next).map(document => describeDocument(store, document)))
    return {
      sessions: page.map(({ path, title, at }) => ({
        sessionId: path,
        cwd: root,
        title: visibleLine(title),
        updatedAt: new Date(at).toISOString(),
      })),
      ...(next < documents.length && { nextCursor: String(next) }),
    }
  }

  async leave(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    await session?.close()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map(id => this.leave(id)))
  }

  #store(root: string): Store {
    const { env, configFolder } = this.#options.run
    return folderStore(root, { env, configFolder })
  }

  /** Throws if the document is missing, isn't a document or can't be read. */
  async #readMessages(store: Store, id: string, root: string): Promise<Message[]> {
    const isPath = id.endsWith('.chatmd') && !isAbsolute(id) && !id.split(/[/\\]/).some(name => name.startsWith('.'))
    const isKnown = isPath && (await store.documents.list()).includes(id)
    if (!isKnown) throw RequestError.resourceNotFound(id.slice(0, 200))
    const content = await readMessages(resolve(root, id), { cwd: root, env: this.#options.io.env })
    if ('messages' in content) return content.messages.map(({ message }) => message)
    const [error] = content.errors
    throw RequestError.invalidParams({ code: error?.code }, `${id} can't be read: ${error?.message}`)
  }

  #add(id: string, cwd: string, store: Store, client: AgentContext): AcpSession {
    if (this.#sessions.size >= MAX_SESSIONS) {
      throw RequestError.invalidRequest(undefined, `At most ${MAX_SESSIONS} sessions can be open. Close one first.`)
    }
    const { io, approve, model, syntax, run, notice } = this.#options
    const settings = new SessionSettings(io.env, { approve, model, syntax })
    const session = new AcpSession({
      id,
      cwd,
      store,
      settings,
      client,
      capabilities: this.capabilities,
      person: this.person,
      run,
      notice,
    })
    this.#sessions.set(id, session)
    return session
  }

  async #workFolder(cwd: string): Promise<string> {
    const real = isAbsolute(cwd) ? await realpath(cwd).catch(() => undefined) : undefined
    const isFolder = real !== undefined && (await stat(real)).isDirectory()
    if (!isFolder) throw RequestError.invalidParams(undefined, 'cwd must be the absolute path of an existing folder.')
    const { folder } = this.#options
    const relativePath = folder === undefined ? '' : relative(folder, real)
    if (relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath)) {
      throw RequestError.invalidParams(undefined, 'cwd is outside the folder that this agent was started for.')
    }
    return real
  }
}

interface OpenedSession {
  session: AcpSession
  messages: Message[]
}

function dateName(): string {
  return new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '')
}
