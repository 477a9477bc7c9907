import { ArgotError } from 'argot'
import type { Sandbox } from '../tool/sandbox/sandbox.ts'
import { mcp } from '../tool/source/mcp.ts'
import type { ToolboxEntry } from '../tool/toolbox.ts'
import { tokenFor } from '../trust/token-for.ts'
import { exactCommand } from '../trust/trust-command.ts'
import { quoted } from '../words/quoted.ts'
import { ToolFailure } from '../words/tool-failure.ts'
import type { McpDeclaration, ToolProblem } from './tool-problem.ts'

export interface OpenServerOptions {
  /** Whether a command may be started. */
  mayRun: (command: string) => Promise<boolean>
  sandbox?: (() => Promise<Sandbox>) | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Variables that the user allows to be sent as tokens. */
  allowEnv: readonly string[]
  allowPrivateAddresses: boolean | readonly string[]
  /** The document came from the web: it may name servers there, and nothing of this machine. */
  remote: boolean
  /** The tools are only to be listed: nothing is started, and nobody is connected to. */
  listOnly: boolean
  notice: (text: string) => void
  signal?: AbortSignal | undefined
}

type Problem = Omit<ToolProblem, 'declaration'>

/** Opens the MCP server that a document declares, if the user allows it. */
export async function openServer(
  declaration: McpDeclaration,
  options: OpenServerOptions,
): Promise<ToolboxEntry | Problem> {
  const { server, include, strict, tokenEnv, network = false } = declaration
  const name = quoted(server)
  const command = exactCommand(declaration)
  if (options.remote && (command !== undefined || tokenEnv !== undefined)) {
    const message = `The MCP server ${name} is left out: a document from the web starts no programs and is given no tokens.`
    return leftOut('TOOL_NOT_TRUSTED', message, 'Save the document, and run the file.')
  }
  if (options.listOnly) {
    const message = `The tools of the MCP server ${name} are not listed: nothing is started or asked for a listing.`
    return leftOut('TOOL_NOT_AVAILABLE', message, 'Run the document to use them.')
  }
  if (command !== undefined && !(await options.mayRun(network ? `${command} [network]` : command))) {
    const message = `The MCP server ${name} is left out: the command was not allowed for this document.`
    return leftOut('TOOL_NOT_TRUSTED', message, 'Allow it with --allow-exec.')
  }
  const { env, allowEnv, cwd, sandbox, allowPrivateAddresses, notice, signal } = options
  const token = tokenEnv === undefined ? undefined : tokenFor({ tokenEnv, env, allowEnv })
  if (token?.ok === false) return leftOut(token.code, token.message, `Then ${name} can be used.`)
  try {
    const settings = { include, strict, network, cwd, sandbox, allowPrivateAddresses, token: token?.token }
    const source = await mcp(server, settings).open({ env, notice, signal })
    return { source, name: server }
  } catch (error) {
    if (!(error instanceof ToolFailure) && !(error instanceof ArgotError)) throw error
    return leftOut(error.code, error.message, 'Start the server, or mend what the message says.')
  }
}

function leftOut(code: Problem['code'], message: string, cure: string): Problem {
  return { code, message, cure, canBeLeftOut: true }
}
