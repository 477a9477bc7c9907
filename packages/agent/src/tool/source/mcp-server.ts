import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Tool as ServerTool,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { defined } from 'argot'
import type { GuardedFetch } from '../../web/guarded-fetch.ts'
import { messageOf } from '../../words/message-of.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { ChildOptions } from '../child-group.ts'
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
  tool: string
  input: Record<string, unknown>
  signal: AbortSignal
  timeoutMs: number
  preview: (text: string) => void
}

const CONNECT_MS = 30_000
/** A server that keeps dying is not started again for ever. */
const MAX_STARTS = 4

/**
 * A connection to one MCP server. It is made when it is first needed, and made anew by the next call when the server has
 * died; a call that was under way then is not repeated. Everything that goes wrong is a `ToolFailure` in one sentence.
 */
export class McpServer {
  readonly #options: McpServerOptions
  #connected: Promise<Connection> | undefined
  #starts = 0

  constructor(options: McpServerOptions) {
    this.#options = options
  }

  /** All tools of the server, over all pages of its list. */
  async listTools(signal?: AbortSignal): Promise<ServerTool[]> {
    const { client, transport } = await this.#connect(signal)
    try {
      const { tools } = await client.listTools(undefined, { ...this.#limits(signal), cacheMode: 'refresh' })
      return tools
    } catch (error) {
      throw this.#explain(error, transport, 'gave no list of its tools')
    }
  }

  async call({ tool, input, signal, timeoutMs, preview }: McpCall): Promise<CallToolResult> {
    const connection = await this.#connect(signal)
    const { client, transport } = connection
    try {
      return await client.callTool(
        { name: tool, arguments: input },
        {
          signal,
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          onprogress: ({ progress, total, message }) => preview(message ?? sayProgress(progress, total)),
        },
      )
    } catch (error) {
      signal.throwIfAborted()
      // The server answered, with an error: that is for the model to read.
      if (error instanceof ProtocolError) throw new ToolFailure('TOOL_FAILED', error.message, { cause: error })
      if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
        throw new ToolFailure('TOOL_BAD_OUTPUT', `\`${tool}\` ran, but what it gave is broken: ${error.message}`, {
          cause: error,
        })
      }
      const failure = this.#explain(error, transport, `did not answer the call of \`${tool}\``)
      // Nobody knows what has become of a session: the next call begins another one.
      if (failure.code !== 'MCP_TIMEOUT') await this.#forget(connection)
      throw failure
    }
  }

  /** Ends the connection and the program that was started for it. */
  async close(): Promise<void> {
    const connected = this.#connected
    this.#connected = undefined
    await (await connected?.catch(() => undefined))?.close()
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
        jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
      },
    )
    // What a server says besides answers is not worth ending anything for.
    client.onerror = () => {}
    const { transport, end } = await openTransport(endpoint)
    let closed: Promise<void> | undefined
    const close = (): Promise<void> => {
      closed ??= client
        .close()
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
      const failure = this.#explain(error, transport, 'cannot be reached')
      await close()
      signal?.throwIfAborted()
      throw failure
    }
    const connection: Connection = { client, transport, close }
    client.onclose = () => {
      void this.#forget(connection)
    }
    return connection
  }

  /** The server has died: the next call connects anew. */
  async #forget(connection: Connection): Promise<void> {
    const current = await this.#connected?.catch(() => undefined)
    if (current === connection) this.#connected = undefined
    await connection.close()
  }

  get #name(): string {
    return quoted(this.#options.name)
  }

  #explain(error: unknown, transport: Transport, what: string): ToolFailure {
    const timedOut = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
    const { problem, ended, lastWords } = transport instanceof StdioTransport ? transport : noProgram
    // A program that is given up is ended from here: how it ended says nothing then.
    const reasons = [timedOut ? 'the time for it is over' : (problem ?? ended), saidLast(lastWords)]
    const known = reasons.filter(reason => reason !== undefined)
    const reason = known.length > 0 ? known.join('; ') : reasonOf(error)
    const message = `The MCP server ${this.#name} ${what}: ${reason}.`
    return new ToolFailure(timedOut ? 'MCP_TIMEOUT' : 'MCP_UNREACHABLE', message, { cause: error })
  }
}

const noProgram = { problem: undefined, ended: undefined, lastWords: '' }

interface Connection {
  client: Client
  transport: Transport
  close(): Promise<void>
}

async function openTransport(endpoint: McpEndpoint): Promise<{ transport: Transport; end?: () => Promise<unknown> }> {
  if (endpoint.kind === 'http') {
    const { url, token, fetch } = endpoint
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return { transport: new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } }) }
  }
  const { end, ...options } = await endpoint.launch()
  return { transport: new StdioTransport(options), ...defined({ end }) }
}

function saidLast(words: string): string | undefined {
  const line = words.split('\n').at(-1)?.trim()
  return line ? `the last thing it said was ${quoted(line.slice(-200))}` : undefined
}

/** The innermost reason that has words for people, without the full stop: connection errors come wrapped. */
function reasonOf(error: unknown): string {
  let reason = error
  while (reason instanceof Error && reason.cause instanceof Error && !(reason instanceof ToolFailure))
    reason = reason.cause
  return messageOf(reason).replace(/\.+$/, '')
}

function sayProgress(progress: number, total: number | undefined): string {
  return total !== undefined && total > 0 ? `${Math.round((100 * progress) / total)} %` : String(progress)
}
