import type { ToolDeclaration } from '@argot/core/chatmd/internal'
import type { OpenToolSource } from '../tool-source.ts'
import { agent } from './agent.ts'
import { builtin } from './builtin.ts'
import type { DeclaredSource, SourceContext } from './declared-source.ts'
import { mcpSource } from './mcp-source.ts'
import { module } from './module.ts'
import { shell } from './shell.ts'
import { skills } from './skills.ts'
import type { SourceProblem } from './tool-problem.ts'

const sources: { readonly [Kind in ToolDeclaration['kind']]: DeclaredSource<Kind> } = {
  builtin,
  shell,
  agent,
  module,
  mcp: mcpSource,
  skills,
}

export function openSource<Kind extends ToolDeclaration['kind']>(
  declaration: Extract<ToolDeclaration, { kind: Kind }>,
  context: SourceContext,
): Promise<OpenToolSource | SourceProblem> {
  return sources[declaration.kind as Kind].open(declaration as never, context)
}
