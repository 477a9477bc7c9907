import { ArgotError, type JsonSchema } from '@argot/core'
import { defined, nearestNames } from '@argot/core/stream/internal'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import { AddressPolicy } from '../../web/address-policy.ts'
import { createGuardedFetch } from '../../web/guarded-fetch.ts'
import { quoted } from '../../words/quoted.ts'
import { stableJson } from '../../words/stable-json.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { cutOutput } from '../output/cut-output.ts'
import { reduceEnvironment } from '../process/reduce-environment.ts'
import { splitCommand } from '../process/split-command.ts'
import { describeUnconfined } from '../sandbox/describe-closed.ts'
import { isConfining, type Launch, type Sandbox } from '../sandbox/sandbox.ts'
import { boundedSchema } from '../schema/bounded-schema.ts'
import { checkInput } from '../schema/check-input.ts'
import type { Tool } from '../tool.ts'
import type { OpenToolSource, ToolSource, ToolSourceContext } from '../tool-source.ts'
import type { ServerListing } from './list-server-tools.ts'
import { toOutcome } from './mcp-output.ts'
import type { McpEndpoint } from './mcp-server.ts'

export interface McpOptions {
  /** The tools to use, by the server's names; all by default. */
  include?: readonly string[] | undefined
  /** Sent as bearer token with every HTTP request. */
  token?: string | undefined
  /** The provider enforces the schemas, if it can. */
  strict?: boolean | undefined
  /** How long a call may be silent; 60 s by default. Progress reports restart the time. */
  timeoutMs?: number | undefined
  /** How long a call may take in total, however often it reports progress; 30 minutes by default. */
  totalMs?: number | undefined
  /** Time until the server's first answer; 30 s by default. */
  connectMs?: number | undefined
  /** Where to start a program; the working directory by default. */
  cwd?: string | undefined
  /** The program's sandbox. Without one, the program can do everything that the user can. */
  sandbox?: (() => Promise<Sandbox>) | undefined
  /** A program may use the network in a sandbox. */
  network?: boolean | undefined
  /** Whether non-public addresses may be connected to, or which; all by default. */
  allowPrivateAddresses?: boolean | readonly string[] | undefined
}

const CALL_MS = 60_000
const CALL_TOTAL_MS = 30 * 60_000
/** More tools don't help any model, and a longer list may be an attack. */
const MAX_TOOLS = 512
const DESCRIPTION_BYTES = 8 * 1024
const MAX_NAME = 64
/** The limit on an HTTP message, the same as for a program's. */
const MESSAGE_BYTES = 32 * 1024 * 1024

/**
 * The tools of an MCP server: `https://…` for a server over HTTP, `stdio:` and a command line for one to start. Argot
 * doesn't trust a server's statements about its own tools: it assumes that every call can do what a program or the
 * network can.
 */
export function mcp(server: string, options: McpOptions = {}): ToolSource {
  const kind = checkServerName(server)
  return { name: server, open: context => openServer(server, kind, options, context) }
}

/** The kind of server. Throws `MCP_BAD_SERVER`. */
export function checkServerName(server: string): 'stdio' | 'http' {
  if (server.startsWith('stdio:') && server.slice(6).trim() !== '') return 'stdio'
  if (/^https?:\/\//i.test(server) && URL.canParse(server)) return 'http'
  const message = `${quoted(server)} is not an MCP server: write an address (https://…), or \`stdio:\` and a command.`
  throw new ArgotError('MCP_BAD_SERVER', message)
}

async function openServer(
  name: string,
  kind: 'stdio' | 'http',
  options: McpOptions,
  context: ToolSourceContext,
): Promise<OpenToolSource> {
  const sandbox = kind === 'stdio' ? await options.sandbox?.() : undefined
  const endpoint =
    kind === 'stdio' ? createStdioEndpoint(name, options, context, sandbox) : createHttpEndpoint(name, options)
  let stale = false
  const onChanged = (): void => {
    stale = true
  }
  // The client is large, and most runs have no server.
  const { McpServer } = await import('./mcp-server.ts')
  const server = new McpServer({ name, endpoint, onChanged, connectMs: options.connectMs })
  const shared = {
    effect: kind === 'stdio' ? 'exec' : 'net',
    isConfined: isConfining(sandbox),
    ...defined({
      boundary:
        kind === 'stdio'
          ? (sandbox?.describe(options.network ?? false) ?? describeUnconfined('No sandbox was set up.'))
          : undefined,
      strict: options.strict,
    }),
  } as const
  const reported = new Set<string>()
  // A list that keeps changing would repeat the same notices.
  const notice = (text: string): void => {
    if (!reported.has(text)) context.notice(text)
    reported.add(text)
  }
  const readTools = async (): Promise<Tool[]> => {
    const listings = await server.listTools(context.signal)
    const selected = selectListings(listings, name, options.include, notice)
    return toTools(selected, name, notice, (one, toolName) => {
      const cheap = boundedSchema(one.inputSchema as JsonSchema)
      return {
        name: toolName,
        // The complete entry of the list: the name and the description in use may be cut.
        origin: stableJson(['mcp', name, one]),
        inputSchema: one.inputSchema as JsonSchema,
        timeoutMs: Number.POSITIVE_INFINITY,
        ...shared,
        ...defined({ title: one.title }),
        description: cutOutput(one.description ?? `A tool of ${name}.`, DESCRIPTION_BYTES),
        validate: input => checkInput(cheap, input),
        async execute(input, { signal, preview }) {
          const { timeoutMs = CALL_MS, totalMs = CALL_TOTAL_MS } = options
          const fields = input as Record<string, unknown>
          const { depth = 1 } = context
          return toOutcome(
            await server.call({ tool: one, input: fields, signal, timeoutMs, totalMs, preview, depth }),
            toolName,
          )
        },
      }
    })
  }
  let tools: Tool[]
  try {
    tools = await readTools()
  } catch (error) {
    await server.close()
    throw error
  }
  return {
    get tools() {
      return tools
    },
    async refresh() {
      if (!stale) return false
      stale = false
      tools = await readTools()
      return true
    },
    close: () => server.close(),
  }
}

function createHttpEndpoint(server: string, options: McpOptions): McpEndpoint {
  const policy = new AddressPolicy(options.allowPrivateAddresses ?? true)
  return {
    kind: 'http',
    url: new URL(server),
    token: options.token,
    fetch: createGuardedFetch({ policy, messageBytes: MESSAGE_BYTES }),
  }
}

function createStdioEndpoint(
  server: string,
  { cwd = process.cwd(), network = false }: McpOptions,
  { env: fullEnv, notice }: ToolSourceContext,
  sandbox: Sandbox | undefined,
): McpEndpoint {
  const command = splitCommand(server.slice('stdio:'.length).trim())
  const env = reduceEnvironment(fullEnv)
  return {
    kind: 'stdio',
    async launch() {
      const launch: Launch = (await sandbox?.launch({ command, cwd, env, network })) ?? { command, env }
      const end = async (): Promise<void> => {
        const createdFiles = await launch.end?.()
        if (createdFiles !== undefined) notice(`The MCP server ${quoted(server)}: ${createdFiles}`)
      }
      return { ...launch, end, name: command[0], cwd }
    },
  }
}

/** The tools that the document or the program selects. A name that the server doesn't have is an error. */
function selectListings(
  listings: readonly ServerListing[],
  server: string,
  include: readonly string[] | undefined,
  notice: (text: string) => void,
): readonly ServerListing[] {
  const byName = new Map(listings.map(one => [getName(one), one]))
  const missing = include?.find(one => !byName.has(one))
  if (missing !== undefined) {
    const [nearest] = nearestNames(missing, [...byName.keys()], 1)
    const names = [...byName.keys()].slice(0, 20).map(quoted).join(', ')
    const cure = nearest === undefined ? `It has: ${names || 'none'}.` : `Did you mean ${quoted(nearest)}?`
    const message = `The MCP server ${quoted(server)} has no tool ${quoted(missing)}. ${cure}`
    throw new ToolFailure('MCP_UNKNOWN_TOOL', message)
  }
  const selected = include === undefined ? listings : include.map(one => byName.get(one)!)
  if (selected.length === 0) notice(`The MCP server ${quoted(server)} has no tools.`)
  if (selected.length <= MAX_TOOLS) return selected
  notice(`The MCP server ${quoted(server)} has ${selected.length} tools; the first ${MAX_TOOLS} are used.`)
  return selected.slice(0, MAX_TOOLS)
}

function getName(listings: ServerListing): string {
  return 'tool' in listings ? listings.tool.name : listings.name
}

function toTools(
  listings: readonly ServerListing[],
  server: string,
  notice: (text: string) => void,
  make: (one: ServerTool, name: string) => Tool,
): Tool[] {
  const tools = new Map<string, Tool>()
  for (const one of listings) {
    const name = getName(one)
      .replace(/[^A-Za-z0-9_.-]/g, '_')
      .slice(0, MAX_NAME)
    const objection =
      'objection' in one ? one.objection : tools.has(name) ? `another tool is also called ${quoted(name)}` : undefined
    if ('tool' in one && objection === undefined) tools.set(name, make(one.tool, name))
    else notice(`The tool ${quoted(getName(one))} of the MCP server ${quoted(server)} is left out: ${objection}.`)
  }
  return [...tools.values()]
}
