import type { ToolDefinition } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import { badField, type Fields, readList, readModel, readTool } from './field.ts'
import type { CompletionRequest, ToolChoice } from './protocol.ts'

/** Reads a chat completions request. It is the upstream's own protocol, so every field is passed on. */
export function readChatRequest(body: Fields): CompletionRequest {
  const model = readModel(body)
  const messages = readList(body.messages, 'messages')
  for (const [index, { role }] of messages.entries()) {
    if (typeof role !== 'string') throw badField(`messages.${index}.role`, 'a role')
  }
  const tools =
    body.tools === undefined || body.tools === null ? [] : readList(body.tools, 'tools').flatMap(readChatTool)
  return {
    body: { ...body },
    model,
    tools,
    choice: readChoice(body.tool_choice),
    isParallel: body.parallel_tool_calls !== false,
    isStream: body.stream === true,
  }
}

/** Tools of other types are left to the upstream. */
function readChatTool(tool: Fields, index: number): ToolDefinition[] {
  if (tool.type !== undefined && tool.type !== 'function') return []
  const field = `tools.${index}.function`
  if (!isRecord(tool.function)) throw badField(field, 'an object')
  const { name, description, parameters } = tool.function
  return [readTool(name, description, parameters, field)]
}

function readChoice(choice: unknown): ToolChoice {
  if (choice === 'none' || choice === 'required') return choice
  const name = isRecord(choice) && isRecord(choice.function) ? choice.function.name : undefined
  return typeof name === 'string' ? { name } : 'auto'
}
