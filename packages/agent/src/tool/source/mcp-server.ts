import { setTimeout as delay } from 'node:timers/promises'
import type { JsonSchema } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool as ServerTool,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import type { GuardedFetch } from '../../web/guarded-fetch.ts'
import { quoted } from '../../words/quoted.ts'
import { stableJson } from '../../words/stable-json.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { ChildOptions } from '../process/child-group.ts'
import { boundedSchema } from '../schema/bounded-schema.ts'
import { depthKey } from './depth-key.ts'
import { type Listed, listServerTools } from './list-server-tools.ts'
import { describeLastWords, describeProgress, describeReason } from './mcp-words.ts'
import { StdioTransport } from './stdio-transport.ts'

/** How a server is reached: a program that is started, or an address. */
export type McpEndpoint =
  | { kind: 'stdio'; launch: () => Promise<ChildOptions & { closed?: string; end?: () => Promise<unknown> }> }
  | { kind: 'http'; url: URL; token?: string | undefined; fetch: GuardedFetch }

export interface McpServerOptions {
  /** What it is called in messages. */
  name: string
  endpoint: McpEndpoint
  /** Until it has answered the first time; 30 s where it is left out. */
  connectMs?: number | undefined
  /** The list of its tools is another one now. */
  onChanged: () => void
}

export interface McpCall {
  /** As the server lists it. */
  tool: ServerTool
  input: Record<string, unknown>
  signal: AbortSignal
  timeoutMs: number
  /** However often it reports progress. */
  totalMs: number
  preview: (text: string) => void
  /** How many runs there are around the call. */
  depth: number
}

const CONNECT_MS = 30_000
/** A server that keeps dying is not started again for ever. */
const MAX_STARTS = 4
/** How long the end of a run waits for a server over HTTP to hear that its session is over. */
const GOODBYE_MS = 1000

/**
 * A connection to one MCP server. It is made when it is first needed, and made again by the next call when the server has
 * died; a call that was under way then is not repeated. Everything that goes wrong is a `ToolFailure` in one sentence.
 */
export class McpServer {
  readonly #options: McpServerOptions
  #connected: Promise<Connection> | undefined
  /** The one that calls go over, once it is made. */
  #current: Connection | undefined
  /** Those that are being ended, or are once their calls are over. */
  readonly #left = new Set<Connection>()
  #starts = 0

  constructor(options: McpServerOptions) {
    this.#options = options
  }

  /** All that the server lists, over all pages. */
  async listTools(signal?: AbortSignal): Promise<Listed[]> {
    return this.#list(await this.#connect(signal), signal)
  }

  async #list(connection: Connection, signal: AbortSignal | undefined): Promise<Listed[]> {
    const { client, transport } = connection
    try {
      const listed = await listServerTools(client, { timeoutMs: this.#options.connectMs ?? CONNECT_MS, signal })
      connection.isListed = true
      return listed
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#explain(error, programState(transport), 'gave no list of its tools')
    }
  }

  /**
   * A server that was started again may have other tools, and never says that they changed. What a person allowed holds for
   * the tool that was listed to them, so nothing else is called in its place.
   */
  async #checkTool(connection: Connection, { tool, signal }: McpCall): Promise<void> {
    if (connection.isListed) return
    const listed = await this.#list(connection, signal)
    this.#options.onChanged()
    const same = stableJson(tool)
    if (listed.some(one => 'tool' in one && stableJson(one.tool) === same)) return
    const message = `The MCP server ${this.#name} was started again, and its tool ${quoted(tool.name)} is not the one that it listed before. It was not called.`
    throw new ToolFailure('TOOL_NOT_RUN', message)
  }

  async call(call: McpCall): Promise<CallToolResult> {
    const connection = await this.#connect(call.signal)
    await this.#checkTool(connection, call)
    const isOld = connection.isUsed
    connection.isUsed = true
    connection.calls++
    try {
      const result = await callTool(connection.client, call)
      this.#starts = 1
      return result
    } catch (error) {
      call.signal.throwIfAborted()
      // A session that the server does not know any more: the call was not made, and another session can make it.
      if (isOld && error instanceof SdkHttpError && error.status === 404) {
        this.#leave(connection)
        return await this.call(call)
      }
      throw this.#failureOf(error, call.tool.name, connection)
    } finally {
      connection.calls--
      if (connection.isLeft && connection.calls === 0) void this.#end(connection)
    }
  }

  #failureOf(error: unknown, tool: string, connection: Connection): ToolFailure {
    // The server answered, with an error: that is for the model to read.
    if (error instanceof ProtocolError) return new ToolFailure('TOOL_FAILED', error.message, { cause: error })
    if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
      const message = `\`${tool}\` ran, but what it gave is broken: ${describeReason(error)}.`
      return new ToolFailure('TOOL_BAD_OUTPUT', message, { cause: error })
    }
    const failure = this.#explain(error, programState(connection.transport), `did not answer the call of \`${tool}\``)
    // Nobody knows what has become of a session: the next call begins another one.
    if (failure.code !== 'MCP_TIMEOUT') this.#leave(connection)
    return failure
  }

  /** Ends the connection and the program that was started for it. */
  async close(): Promise<void> {
    const connected = this.#connected
    this.#connected = undefined
    const current = await connected?.catch(() => undefined)
    const open = current === undefined ? [...this.#left] : [current, ...this.#left]
    await Promise.all(open.map(connection => connection.close()))
  }

  #limits(signal: AbortSignal | undefined): { timeout: number; signal?: AbortSignal } {
    const timeout = this.#options.connectMs ?? CONNECT_MS
    return signal === undefined ? { timeout } : { timeout, signal }
  }

  #connect(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#connected !== undefined) return this.#connected
    if (this.#starts >= MAX_STARTS) {
      const message = `The MCP server ${this.#name} has ended ${this.#starts} times and is not started again.`
      return Promise.reject(new ToolFailure('MCP_UNREACHABLE', message))
    }
    this.#starts++
    const connected = this.#open(signal)
    this.#connected = connected
    connected.catch(() => {
      if (this.#connected === connected) this.#connected = undefined
    })
    return connected
  }

  async #open(signal: AbortSignal | undefined): Promise<Connection> {
    const { endpoint, onChanged } = this.#options
    const client = new Client(
      { name: 'argot', version: '0.1.0' },
      {
        jsonSchemaValidator: boundedValidator,
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
      },
    )
    // What a server says besides answers is not worth ending anything for.
    client.onerror = () => {}
    const { transport, end, confinement } = await openTransport(endpoint)
    let closed: Promise<void> | undefined
    const close = (): Promise<void> => {
      closed ??= describeGoodbye(transport)
        .then(() => client.close())
        .catch(() => {})
        .then(() => transport.close())
        .then(() => end?.())
        .then(() => {})
        .catch(() => {})
      return closed
    }
    try {
      await client.connect(transport, this.#limits(signal))
    } catch (error) {
      // How it ended by itself is known now, and all that it said once it is gone: its words have a pipe of their own.
      const before = programState(transport)
      await close()
      signal?.throwIfAborted()
      const { lastWords } = programState(transport)
      throw this.#explain(error, { ...before, lastWords }, 'cannot be reached', confinement)
    }
    const connection: Connection = { client, transport, close, calls: 0, isListed: false, isUsed: false, isLeft: false }
    client.onclose = () => this.#forget(connection)
    this.#current = connection
    return connection
  }

  /** The server has died: the next call connects again. */
  #forget(connection: Connection): void {
    this.#replace(connection)
    void this.#end(connection)
  }

  /** The next call makes another connection. This one is ended with the last of its calls: they may still be answered. */
  #leave(connection: Connection): void {
    this.#replace(connection)
    connection.isLeft = true
    this.#left.add(connection)
  }

  #replace(connection: Connection): void {
    if (this.#current !== connection) return
    this.#current = undefined
    this.#connected = undefined
  }

  async #end(connection: Connection): Promise<void> {
    this.#left.add(connection)
    await connection.close()
    this.#left.delete(connection)
  }

  get #name(): string {
    return quoted(this.#options.name)
  }

  #explain(error: unknown, program: ProgramState, what: string, confinement?: string): ToolFailure {
    const timedOut = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
    const { problem, ended, lastWords } = program
    // A program that is given up is ended from here: how it ended says nothing then.
    const reason = timedOut ? 'the time for it has run out' : (problem ?? ended ?? describeReason(error))
    const reasons = [reason, describeLastWords(lastWords)].filter(one => one !== undefined).join('; ')
    const hint = ended !== undefined && !timedOut && confinement !== undefined ? ` ${confinement}` : ''
    const message = `The MCP server ${this.#name} ${what}: ${reasons}.${hint}`
    return new ToolFailure(timedOut ? 'MCP_TIMEOUT' : 'MCP_UNREACHABLE', message, { cause: error })
  }
}

/** What a program has to do with a failure. */
type ProgramState = Pick<StdioTransport, 'problem' | 'ended' | 'lastWords'>

function programState(transport: Transport): ProgramState {
  const { problem, ended, lastWords } = transport instanceof StdioTransport ? transport : noProgram
  return { problem, ended, lastWords }
}

const noProgram: ProgramState = { problem: undefined, ended: undefined, lastWords: '' }

interface Connection {
  client: Client
  transport: Transport
  close(): Promise<void>
  /** Calls that are under way. */
  calls: number
  /** Its list was read. */
  isListed: boolean
  /** A call was made over it. */
  isUsed: boolean
  /** Is ended with the last of its calls. */
  isLeft: boolean
}

/** Schemas come from the server, and what they are held against too: a check must not take longer than either is long. */
const boundedValidator = {
  getValidator<Value>(schema: object) {
    return new CfWorkerJsonSchemaValidator().getValidator<Value>(boundedSchema(schema as JsonSchema) as never)
  },
}

function callTool(
  client: Client,
  { tool, input, signal, timeoutMs, totalMs, preview, depth }: McpCall,
): Promise<CallToolResult> {
  return client.callTool(
    { name: tool.name, arguments: input, _meta: { [depthKey]: depth } },
    {
      signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: totalMs,
      onprogress: ({ progress, total, message }) => preview(describeProgress(progress, total, message)),
      toolDefinition: tool,
    },
  )
}

async function openTransport(
  endpoint: McpEndpoint,
): Promise<{ transport: Transport; end?: () => Promise<unknown>; confinement?: string }> {
  if (endpoint.kind === 'http') {
    const { url, token, fetch } = endpoint
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return { transport: new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } }) }
  }
  const { end, closed, ...options } = await endpoint.launch()
  return { transport: new StdioTransport(options), ...defined({ end, confinement: closed }) }
}

/** Tells a server over HTTP that the session is over, so that it can forget it. */
async function describeGoodbye(transport: Transport): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport)) return
  await Promise.race([transport.terminateSession().catch(() => {}), delay(GOODBYE_MS, undefined, { ref: false })])
}
