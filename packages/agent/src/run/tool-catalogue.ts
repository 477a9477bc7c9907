import type { ToolDeclaration } from 'argot/chatmd'
import type { Sandbox } from '../tool/sandbox/sandbox.ts'
import { createShellTool } from '../tool/shell-tool.ts'
import type { Tool } from '../tool/tool.ts'
import { Toolbox, type ToolboxEntry } from '../tool/toolbox.ts'
import type { McpDeclaration, ModuleDeclaration, ToolProblem } from './tool-problem.ts'

export interface CatalogueOptions {
  builtin: ReadonlyMap<string, Tool>
  /** Tools in code. */
  own: readonly Tool[]
  /** Those of them that are offered although the document does not declare them. */
  offered?: readonly Tool[] | undefined
  /** What is wrong with a declaration in itself. */
  problemOf: (declaration: ToolDeclaration) => Promise<ToolProblem | undefined>
  /** Whether a command may be offered to the model. */
  mayRun: (command: string) => Promise<boolean>
  /** The boundary that commands run in; asked for once one is declared. */
  sandbox?: (() => Promise<Sandbox>) | undefined
  /** Makes a tool of a sub-agent, where agents can be run. */
  agentTool: (declaration: Extract<ToolDeclaration, { kind: 'agent' }>) => Promise<Tool> | undefined
  /** Finds a tool that a file exports, or says why not. */
  moduleTool: (declaration: ModuleDeclaration) => Promise<Tool | Omit<ToolProblem, 'declaration'>>
  /** Connects to a server, or says why not. */
  openServer: (declaration: McpDeclaration) => Promise<ToolboxEntry | Omit<ToolProblem, 'declaration'>>
  notice: (text: string) => void
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

export interface Catalogue {
  /** By name; nothing else is callable. To be closed when the run is over. */
  toolbox: Toolbox
  problems: ToolProblem[]
}

/** The tools that a document declares, and what is wrong with those that cannot be offered. */
export async function createCatalogue(
  declarations: readonly ToolDeclaration[],
  options: CatalogueOptions,
): Promise<Catalogue> {
  const entries: ToolboxEntry[] = []
  const problems: ToolProblem[] = []
  for (const declaration of declarations) {
    const found = (await options.problemOf(declaration)) ?? (await toEntry(declaration, options))
    if (found === undefined) continue
    if ('canBeLeftOut' in found) problems.push(found)
    else entries.push(found)
  }
  for (const tool of options.offered ?? []) entries.push({ tool })
  const reserved = [...options.builtin.keys(), ...options.own.map(one => one.name)]
  return { toolbox: new Toolbox(entries, { reserved, notice: options.notice }), problems }
}

async function toEntry(
  declaration: ToolDeclaration,
  options: CatalogueOptions,
): Promise<ToolboxEntry | ToolProblem | undefined> {
  if (declaration.kind === 'mcp') {
    const opened = await options.openServer(declaration)
    return 'canBeLeftOut' in opened ? { declaration, ...opened } : opened
  }
  const found = await toTool(declaration, options)
  if (found === undefined || 'canBeLeftOut' in found) return found
  const { description } = declaration
  return { tool: description === undefined ? found : { ...found, description } }
}

async function toTool(
  declaration: Exclude<ToolDeclaration, { kind: 'mcp' }>,
  options: CatalogueOptions,
): Promise<Tool | ToolProblem | undefined> {
  const { cwd, env } = options
  switch (declaration.kind) {
    case 'builtin':
      return options.builtin.get(declaration.name) ?? options.own.find(one => one.name === declaration.name)
    case 'shell': {
      const { name, command, description = `Runs the command \`${command}\`.` } = declaration
      const { network = false } = declaration
      // A program that may use the network is trusted as another one.
      if (await options.mayRun(network ? `${command} [network]` : command)) {
        return createShellTool({ name, command, description, cwd, env, network, sandbox: await options.sandbox?.() })
      }
      return {
        declaration,
        code: 'TOOL_NOT_TRUSTED',
        message: `The tool \`${name}\` is left out: the command \`${command}\` was not allowed for this document.`,
        cure: 'Allow it with --allow-exec.',
        canBeLeftOut: true,
      }
    }
    case 'agent':
      return options.agentTool(declaration)
    case 'module': {
      const found = await options.moduleTool(declaration)
      return 'canBeLeftOut' in found ? { declaration, ...found } : found
    }
  }
}
