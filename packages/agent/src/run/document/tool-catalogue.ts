import type { ToolDeclaration } from '@argot/core/chatmd/internal'
import { toolSearchName } from '../../loop/tool-offer.ts'
import type { SourceContext } from '../../tool/source/declared-source.ts'
import type { ToolProblem } from '../../tool/source/tool-problem.ts'
import { openSource } from '../../tool/source/tool-sources.ts'
import type { Tool } from '../../tool/tool.ts'
import { fixedTools } from '../../tool/tool-source.ts'
import { Toolbox, type ToolboxEntry } from '../../tool/toolbox.ts'

export interface CatalogueOptions extends SourceContext {
  /** Tools in code that are offered although the document doesn't declare them. */
  offered: readonly Tool[]
  findProblem: (declaration: ToolDeclaration) => Promise<ToolProblem | undefined>
}

export interface Catalogue {
  /** By name; nothing else is callable. Close it when the run is over. */
  toolbox: Toolbox
  problems: ToolProblem[]
}

export async function createCatalogue(
  declarations: readonly ToolDeclaration[],
  options: CatalogueOptions,
): Promise<Catalogue> {
  const { builtin, codeTools, offered, notice, findProblem } = options
  const entries: ToolboxEntry[] = []
  const problems: ToolProblem[] = []
  for (const declaration of declarations) {
    const outcome = (await findProblem(declaration)) ?? (await openSource(declaration, options))
    if ('canBeLeftOut' in outcome) problems.push({ ...outcome, declaration })
    else entries.push({ source: outcome, name: declaration.kind === 'mcp' ? declaration.server : declaration.name })
  }
  entries.push({ source: fixedTools(offered), name: 'tools' })
  const reserved = [...builtin.keys(), ...codeTools.map(one => one.name), toolSearchName]
  return { toolbox: new Toolbox(entries, { reserved, notice }), problems }
}
