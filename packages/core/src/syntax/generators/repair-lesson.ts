import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { exampleCall } from '../teach/example-call.ts'
import { isName } from '../tool-names.ts'

/** What a model is told that wrote a call wrong: how a call of this tool is written. */
export function repairLesson(
  format: (call: CallToWrite, tool?: ToolDefinition) => string,
  toolName: string,
  tool: ToolDefinition | undefined,
): string {
  const shown = toolName === 'unknown' || !isName(toolName) ? 'NAME' : toolName
  const example = { toolCallId: 'id', toolName: shown, input: { PARAMETER: 'value' } }
  return `Write the call like this:\n${format(tool === undefined ? example : exampleCall(tool), tool)}`
}
