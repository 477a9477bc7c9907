import { ArgotError } from '@argot/core'
import { tokenFor } from '../../trust/token-for.ts'
import { exactCommand } from '../../trust/trust-command.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { OpenToolSource } from '../tool-source.ts'
import type { Declaration, DeclaredSource, SourceContext } from './declared-source.ts'
import { mcp } from './mcp.ts'
import type { SourceProblem } from './tool-problem.ts'

/** `<tool mcp_server="…"/>`: the tools of an MCP server, if the user allows it. */
export const mcpSource: DeclaredSource<'mcp'> = { open: openMcpSource }

async function openMcpSource(
  declaration: Declaration<'mcp'>,
  options: SourceContext,
): Promise<OpenToolSource | SourceProblem> {
  const { server: address, include, strict, tokenEnv, network = false } = declaration
  const name = quoted(address)
  const command = exactCommand(declaration)
  if (options.remote && (command !== undefined || tokenEnv !== undefined)) {
    const message = `The MCP server ${name} is left out: a document from the web can't start programs or get tokens.`
    return leftOut('TOOL_NOT_TRUSTED', message, 'Save the document, and run the file.')
  }
  if (options.listOnly) {
    const message = `The tools of the MCP server ${name} are not listed: listing doesn't start or contact anything.`
    return leftOut('TOOL_NOT_AVAILABLE', message, 'Run the document to use them.')
  }
  if (command !== undefined && !(await options.mayRun(network ? `${command} [network]` : command))) {
    const message = `The MCP server ${name} is left out: the command was not allowed for this document.`
    return leftOut('TOOL_NOT_TRUSTED', message, 'Allow it with --allow-exec.')
  }
  const { env, allowEnv, cwd, sandbox, allowPrivateAddresses, agents, notice, signal } = options
  const token = tokenEnv === undefined ? undefined : tokenFor({ tokenEnv, env, allowEnv })
  if (token?.ok === false) return leftOut(token.code, token.message, `Then ${name} can be used.`)
  try {
    const settings = { include, strict, network, cwd, sandbox, allowPrivateAddresses, token: token?.token }
    return await mcp(address, settings).open({ env, notice, signal, depth: agents.length })
  } catch (error) {
    if (!(error instanceof ToolFailure) && !(error instanceof ArgotError)) throw error
    return leftOut(error.code, error.message, 'Start the server, or fix the problem in the message.')
  }
}

function leftOut(code: SourceProblem['code'], message: string, cure: string): SourceProblem {
  return { code, message, cure, canBeLeftOut: true }
}
