import { ArgotError } from 'argot'
import type { ToolDeclaration } from 'argot/chatmd'
import type { Sandbox } from '../tool/sandbox/sandbox.ts'
import { createShellTool } from '../tool/shell-tool.ts'
import type { Tool } from '../tool/tool.ts'
import { nearestNames } from '../words/nearest-names.ts'

export interface CatalogueOptions {
  builtin: ReadonlyMap<string, Tool>
  /** Tools in code. */
  own: readonly Tool[]
  /** Whether a command may be offered to the model. */
  mayRun: (command: string) => Promise<boolean>
  /** The boundary that commands run in; asked for once one is declared. */
  sandbox?: (() => Promise<Sandbox>) | undefined
  /** Makes a tool of a sub-agent, where agents can be run. */
  agentTool: (declaration: Extract<ToolDeclaration, { kind: 'agent' }>) => Promise<Tool> | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  notice: (text: string) => void
}

/**
 * The tools that a document declares, by name: nothing else is callable. A command that the user does not trust is left
 * out with a notice; a name that stands for nothing throws `TOOL_UNKNOWN`.
 */
export async function createCatalogue(
  declarations: readonly ToolDeclaration[],
  options: CatalogueOptions,
): Promise<Map<string, Tool>> {
  const tools = new Map<string, Tool>()
  for (const declaration of declarations) {
    const tool = await toTool(declaration, options)
    if (tool === undefined || tools.has(tool.name)) continue
    const { description } = declaration
    tools.set(tool.name, description === undefined ? tool : { ...tool, description })
  }
  return tools
}

async function toTool(declaration: ToolDeclaration, options: CatalogueOptions): Promise<Tool | undefined> {
  const { notice, cwd, env } = options
  if (declaration.kind === 'shell' || declaration.kind === 'agent') refuseTaken(declaration.name, options)
  switch (declaration.kind) {
    case 'builtin': {
      const { name } = declaration
      const tool = options.builtin.get(name) ?? options.own.find(one => one.name === name)
      if (tool !== undefined) return tool
      const known = [...options.builtin.keys(), ...options.own.map(one => one.name)]
      const [nearest] = nearestNames(name, known, 1)
      const cure = nearest === undefined ? `The known ones are: ${known.join(', ')}.` : `Did you mean \`${nearest}\`?`
      throw new ArgotError(
        'TOOL_UNKNOWN',
        `The document declares the tool \`${name}\`, and no such tool exists. ${cure} A command is declared with \`command\`, a sub-agent with \`agent\`.`,
      )
    }
    case 'shell': {
      const { name, command, description = `Runs the command \`${command}\`.` } = declaration
      const { network = false } = declaration
      // A program that may use the network is trusted as another one.
      if (await options.mayRun(network ? `${command} [network]` : command)) {
        return createShellTool({ name, command, description, cwd, env, network, sandbox: await options.sandbox?.() })
      }
      notice(
        `The tool \`${name}\` is left out: the command \`${command}\` was not allowed for this document. Allow it with --allow-exec.`,
      )
      return undefined
    }
    case 'agent':
      return options.agentTool(declaration)
    case 'mcp':
      notice(
        `The MCP server ${declaration.server} is left out: this version of Argot does not connect to MCP servers yet.`,
      )
      return undefined
  }
}

/** What a user allows or denies for a built-in tool, or for one of the program, is not for another of the same name. */
function refuseTaken(name: string, { builtin, own }: CatalogueOptions): void {
  if (!builtin.has(name) && !own.some(one => one.name === name)) return
  const whose = builtin.has(name) ? 'a built-in tool' : 'a tool of the program that runs it'
  throw new ArgotError(
    'TOOL_NAME_TAKEN',
    `The document calls a tool \`${name}\` that is not the one of that name, which is ${whose}. Give it another name, or declare the tool itself with \`<tool name="${name}"/>\`.`,
  )
}
