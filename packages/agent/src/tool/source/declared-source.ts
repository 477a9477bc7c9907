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

/** Where the tools of one kind of `<tool>` come from. */
export interface DeclaredSource<Kind extends ToolDeclaration['kind']> {
  /** Opens what a declaration names, to be closed when the run is over; or says why it cannot be offered. */
  open(declaration: Declaration<Kind>, context: SourceContext): Promise<OpenToolSource | SourceProblem>
}

export type Declaration<Kind extends ToolDeclaration['kind']> = Extract<ToolDeclaration, { kind: Kind }>

/** What a document and its run tell the sources of its tools. */
export interface SourceContext {
  builtin: ReadonlyMap<string, Tool>
  /** Tools in code. */
  own: readonly Tool[]
  /** The document, and the documents that are running, outermost first. */
  document: string | undefined
  agents: readonly string[]
  resolver: Resolver
  /** Runs another document; undefined where none can be run. */
  runAgent: RunAgentTool | undefined
  modules: ToolModules
  /** Whether a command may be started. */
  mayRun: (command: string) => Promise<boolean>
  /** The boundary that programs run in; asked for once one is declared. */
  sandbox?: (() => Promise<Sandbox>) | undefined
  /** Where programs run that no boundary confines; as processes of this one if it is left out. */
  terminal?: EditorTerminal | undefined
  cwd: string
  /** The part of the disk that tools may use. */
  workspace: Workspace
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

/** The effect of a tool that a document can name without saying what it is. */
export function getEffect(
  name: string,
  { builtin, own }: Pick<SourceContext, 'builtin' | 'own'>,
): ToolEffect | undefined {
  return (builtin.get(name) ?? own.find(tool => tool.name === name))?.effect
}
