import type { ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'

/** Where a server is asked to stop: a text syntax has words with which results begin, and only Argot writes those. */
export function stopSequences({ stop = [] }: Syntax, tools: readonly ToolDefinition[]): string[] | undefined {
  return stop.length === 0 || tools.length === 0 ? undefined : [...stop]
}
