import type { ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'

/** Where a server should stop: a text syntax starts results with certain words, and only Argot may write those. */
export function stopSequences({ stop = [] }: Syntax, tools: readonly ToolDefinition[]): string[] | undefined {
  return stop.length === 0 || tools.length === 0 ? undefined : [...stop]
}
