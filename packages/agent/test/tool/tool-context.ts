import type { Tool, ToolContext, ToolOutcome } from '../../src/tool/tool.ts'

/** A context as the loop gives it, with all that was shown. */
export function toolContext(signal: AbortSignal = new AbortController().signal): ToolContext & { shown: unknown[] } {
  const shown: unknown[] = []
  return { toolCallId: 'call', idempotencyKey: 'key', signal, preview: output => shown.push(output), shown }
}

/** Checks and runs a call as the loop does; an input that the tool does not take is thrown. */
export async function callTool(tool: Tool, input: unknown, context = toolContext()): Promise<ToolOutcome> {
  const checked = await tool.validate(input)
  if (!checked.ok) throw new Error(checked.problem)
  return tool.execute(checked.input, context)
}
