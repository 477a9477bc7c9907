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
import { listServerTools, type ServerListing } from './list-server-tools.ts'
import { describeProgress, describeReason, describeStderr } from './mcp-words.ts'
import { StdioTransport } from './stdio-transport.ts'

export type McpEndpoint =
  | { kind: 'stdio'; launch: () => Promise<ChildOptions & { closed?: string; end?: () => Promise<unknown> }> }
  | { kind: 'http'; url: URL; token?: string | undefined; fetch: GuardedFetch }

export interface McpServerOptions {
  name: string
  endpoint: McpEndpoint
  /** Time until the first answer; 30 s by default. */
  connectMs?: number | undefined
  onChanged: () => void
}

export interface McpCall {
  tool: ServerTool
  input: Record<string, unknown>
  signal: AbortSignal
  timeoutMs: number
  /** The total time, however often it reports progress. */
  totalMs: number
  preview: (text: string) => void
  /** How many runs there are around the call. */
  depth: number
}

const CONNECT_MS = 30_000
/** A server that keeps crashing is not restarted forever. */
const MAX_STARTS = 4
/** How long the end of a run waits to tell an HTTP server that its session is over. */
const SESSION_END_MS = 1000

/**
 * A connection to one MCP server. It is made when first needed, and again by the next call after the server has died;
 * calls in progress are not repeated. Every failure is a `ToolFailure` in one sentence.
 */
export class McpServer {
  readonly #options: McpServerOptions
  #connecting: Promise<Connection> | undefined
  #current: Connection | undefined
  /** Connections that are closing, or will be once their calls are over. */
  readonly #abandoned = new Set<Connection>()
  #starts = 0

  constructor(options: McpServerOptions) {
    this.#options = options
  }

  async listTools(signal?: AbortSignal): Promise<ServerListing[]> {
    return this.#list(await this.#connect(signal), signal)
  }

  async #list(connection: Connection, signal: AbortSignal | undefined): Promise<ServerListing[]> {
    const { client, transport } = connection
    try {
      const listings = await listServerTools(client, { timeoutMs: this.#options.connectMs ?? CONNECT_MS, signal })
      connection.isListed = true
      return listings
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#explain(error, programState(transport), "didn't list its tools")
    }
  }

  /**
   * A restarted server may have other tools without ever announcing the change. A person's approval applies to the tool
   * that was listed to them, so no other may be called in its place.
   */
  async #checkTool(connection: Connection, { tool, signal }: McpCall): Promise<void> {
    if (connection.isListed) return
    const listings = await this.#list(connection, signal)
    this.#options.onChanged()
    const same = stableJson(tool)
    if (listings.some(one => 'tool' in one && stableJson(one.tool) === same)) return
    const message = `The MCP server ${this.#name} restarted, and its tool ${quoted(tool.name)} is not the one it listed before. The tool was not called.`
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
      // The server no longer knows the session, so the call was not made. Another session can make it.
      if (isOld && error instanceof SdkHttpError && error.status === 404) {
        this.#abandon(connection)
        return await this.call(call)
      }
      throw this.#toFailure(error, call.tool.name, connection)
    } finally {
      connection.calls--
      if (connection.isAbandoned && connection.calls === 0) void this.#end(connection)
    }
  }

  #toFailure(error: unknown, tool: string, connection: Connection): ToolFailure {
    // The server answered with an error, which is for the model to read.
    if (error instanceof ProtocolError) return new ToolFailure('TOOL_FAILED', error.message, { cause: error })
    if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
      const message = `\`${tool}\` ran, but its result is invalid: ${describeReason(error)}.`
      return new ToolFailure('TOOL_BAD_OUTPUT', message, { cause: error })
    }
    const failure = this.#explain(
      error,
      programState(connection.transport),
      `didn't respond to the call of \`${tool}\``,
    )
    // The session's state is unknown, so the next call starts another one.
    if (failure.code !== 'MCP_TIMEOUT') this.#abandon(connection)
    return failure
  }

  /** Closes the connection and ends the program that was started for it. */
  async close(): Promise<void> {
    const connecting = this.#connecting
    this.#connecting = undefined
    const current = await connecting?.catch(() => undefined)
    const open = current === undefined ? [...this.#abandoned] : [current, ...this.#abandoned]
    await Promise.all(open.map(connection => connection.close()))
  }

  #limits(signal: AbortSignal | undefined): { timeout: number; signal?: AbortSignal } {
    const timeout = this.#options.connectMs ?? CONNECT_MS
    return signal === undefined ? { timeout } : { timeout, signal }
  }

  #connect(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#connecting !== undefined) return this.#connecting
    if (this.#starts >= MAX_STARTS) {
      const message = `The MCP server ${this.#name} has ended ${this.#starts} times, so it is not restarted.`
      return Promise.reject(new ToolFailure('MCP_UNREACHABLE', message))
    }
    this.#starts++
    const connecting = this.#open(signal)
    this.#connecting = connecting
    connecting.catch(() => {
      if (this.#connecting === connecting) this.#connecting = undefined
    })
    return connecting
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
    // A stray message from the server is no reason to end anything.
    client.onerror = () => {}
    const { transport, end, confinement } = await openTransport(endpoint)
    let closed: Promise<void> | undefined
    const close = (): Promise<void> => {
      closed ??= endSession(transport)
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
      // How it exited by itself is known now. Its last output is known only after the exit: stderr is a separate pipe.
      const before = programState(transport)
      await close()
      signal?.throwIfAborted()
      const { stderrEnd } = programState(transport)
      throw this.#explain(error, { ...before, stderrEnd }, 'cannot be reached', confinement)
    }
    const connection: Connection = {
      client,
      transport,
      close,
      calls: 0,
      isListed: false,
      isUsed: false,
      isAbandoned: false,
    }
    client.onclose = () => this.#forget(connection)
    this.#current = connection
    return connection
  }

  /** The server has died: the next call connects again. */
  #forget(connection: Connection): void {
    this.#replace(connection)
    void this.#end(connection)
  }

  /** The next call makes another connection. This one closes after its last call, which may still be answered. */
  #abandon(connection: Connection): void {
    this.#replace(connection)
    connection.isAbandoned = true
    this.#abandoned.add(connection)
  }

  #replace(connection: Connection): void {
    if (this.#current !== connection) return
    this.#current = undefined
    this.#connecting = undefined
  }

  async #end(connection: Connection): Promise<void> {
    this.#abandoned.add(connection)
    await connection.close()
    this.#abandoned.delete(connection)
  }

  get #name(): string {
    return quoted(this.#options.name)
  }

  #explain(error: unknown, program: ProgramState, what: string, confinement?: string): ToolFailure {
    const timedOut = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
    const { problem, exitText, stderrEnd } = program
    // Argot ended a program that timed out, so its exit says nothing.
    const reason = timedOut ? 'it timed out' : (problem ?? exitText ?? describeReason(error))
    const reasons = [reason, describeStderr(stderrEnd)].filter(one => one !== undefined).join('; ')
    const hint = exitText !== undefined && !timedOut && confinement !== undefined ? ` ${confinement}` : ''
    const message = `The MCP server ${this.#name} ${what}: ${reasons}.${hint}`
    return new ToolFailure(timedOut ? 'MCP_TIMEOUT' : 'MCP_UNREACHABLE', message, { cause: error })
  }
}

type ProgramState = Pick<StdioTransport, 'problem' | 'exitText' | 'stderrEnd'>

function programState(transport: Transport): ProgramState {
  const { problem, exitText, stderrEnd } = transport instanceof StdioTransport ? transport : noProgram
  return { problem, exitText, stderrEnd }
}

const noProgram: ProgramState = { problem: undefined, exitText: undefined, stderrEnd: '' }

interface Connection {
  client: Client
  transport: Transport
  close(): Promise<void>
  calls: number
  isListed: boolean
  isUsed: boolean
  isAbandoned: boolean
}

/** Both the schemas and the values come from the server: a check must take time linear in their size. */
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

/** Tells an HTTP server that the session is over, so that it can delete it. */
async function endSession(transport: Transport): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport)) return
  await Promise.race([transport.terminateSession().catch(() => {}), delay(SESSION_END_MS, undefined, { ref: false })])
}
