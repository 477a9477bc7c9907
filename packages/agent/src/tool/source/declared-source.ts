import type { Resolver } from '@argot/core/chatmd'
import type { ToolDeclaration } from '@argot/core/chatmd/internal'
import type { ToolEffect } from '@argot/core/stream'
import type { Workspace } from '../../files/workspace.ts'
import type { EditorTerminal } from '../process/editor-terminal.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Tool } from '../tool.ts'
import type { OpenToolSource } from '../tool-source.ts'
import type { RunAgentTool } from './run-agent-tool.ts'
import type { ToolModules } from './tool-modules.ts'
import type { SourceProblem } from './tool-problem.ts'

export interface DeclaredSource<Kind extends ToolDeclaration['kind']> {
  /** Opens a declared source, to be closed when the run is over; or returns why it can't be offered. */
  open(declaration: Declaration<Kind>, context: SourceContext): Promise<OpenToolSource | SourceProblem>
}

export type Declaration<Kind extends ToolDeclaration['kind']> = Extract<ToolDeclaration, { kind: Kind }>

export interface SourceContext {
  builtin: ReadonlyMap<string, Tool>
  codeTools: readonly Tool[]
  /** The document, and the running documents, the outermost first. */
  document: string | undefined
  agents: readonly string[]
  resolver: Resolver
  /** Runs another document; undefined if that isn't possible. */
  runAgent: RunAgentTool | undefined
  modules: ToolModules
  mayRun: (command: string) => Promise<boolean>
  /** The sandbox for programs; opened once a program is declared. */
  sandbox?: (() => Promise<Sandbox>) | undefined
  /** Where unconfined programs run; by default, as child processes. */
  terminal?: EditorTerminal | undefined
  cwd: string
  workspace: Workspace
  env: Readonly<Record<string, string | undefined>>
  /** Variables that the user allows to be sent as tokens. */
  allowEnv: readonly string[]
  allowPrivateAddresses: boolean | readonly string[]
  /** The document came from the web: it may name servers there, but nothing on this machine. */
  remote: boolean
  /** Only lists the tools: starts nothing and connects to nothing. */
  listOnly: boolean
  notice: (text: string) => void
  signal?: AbortSignal | undefined
}

export function getEffect(
  name: string,
  { builtin, codeTools }: Pick<SourceContext, 'builtin' | 'codeTools'>,
): ToolEffect | undefined {
  return (builtin.get(name) ?? codeTools.find(tool => tool.name === name))?.effect
}
