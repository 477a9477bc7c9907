import type { Tool } from '../tool/tool.ts'
import { fixedTools, isToolSource, type ToolSource, type ToolSourceContext } from '../tool/tool-source.ts'
import { Toolbox, type ToolboxEntry } from '../tool/toolbox.ts'

/** Opens the sources among the tools, all at once. When one cannot be opened the others are closed, and its error is thrown. */
export async function openToolbox(given: readonly (Tool | ToolSource)[], context: ToolSourceContext): Promise<Toolbox> {
  const opening = given.map(async (one): Promise<ToolboxEntry> => {
    return { source: isToolSource(one) ? await one.open(context) : fixedTools([one]), name: one.name }
  })
  const settled = await Promise.allSettled(opening)
  const entries = settled.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const toolbox = new Toolbox(entries, { notice: context.notice })
  const failed = settled.find(one => one.status === 'rejected')
  if (failed === undefined) return toolbox
  await toolbox.close()
  throw failed.reason
}
