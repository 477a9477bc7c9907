import { defined, isRecord } from '@argot/core/stream/internal'
import { ClientTools, toFreeformArguments } from './client-tools.ts'
import { badField, cannotTranslate, checkFields, type Fields, readList, readModel, toChatTool } from './field.ts'
import { joinMessages } from './join-messages.ts'
import { toChatChoice } from './messages-request.ts'
import type { CompletionRequest, ToolChoice } from './protocol.ts'

const translatedFields =
  'model input instructions max_output_tokens stream temperature top_p tools tool_choice parallel_tool_calls text reasoning'
/**
 * Fields that only matter to OpenAI's own service. The proxy does what they ask for, or doesn't need them without a
 * store.
 */
const ignoredFields =
  'store include metadata user safety_identifier prompt_cache_key prompt_cache_retention service_tier stream_options client_metadata truncation background top_logprobs'
const knownFields: ReadonlySet<string> = new Set(`${translatedFields} ${ignoredFields}`.split(' '))

/** Reads an OpenAI Responses request. Nothing is stored, so a request must contain its whole conversation. */
export function readResponsesRequest(body: Fields): CompletionRequest {
  checkFields(body, knownFields)
  if (body.store === true)
    throw cannotTranslate('store', 'The proxy stores nothing; send `store: false` and the whole conversation.')
  if (body.background === true) throw cannotTranslate('background', 'The proxy stores nothing.')
  if (body.truncation === 'auto')
    throw cannotTranslate('truncation', 'The upstream accepts the whole conversation or refuses it.')
  if (isPresent(body.top_logprobs) && body.top_logprobs !== 0) throw cannotTranslate('top_logprobs')
  const model = readModel(body)
  const clientTools = new ClientTools(body.tools)
  const { definitions: tools } = clientTools
  const choice = readChoice(body.tool_choice, clientTools)
  const isStream = body.stream === true
  const isParallel = body.parallel_tool_calls !== false
  const { max_output_tokens: max_tokens, temperature, top_p } = body
  const effort = isRecord(body.reasoning) ? (body.reasoning.effort ?? undefined) : undefined
  return {
    body: {
      model,
      messages: joinMessages([...readInstructions(body.instructions), ...readInput(body.input, clientTools)]),
      stream: isStream,
      ...(isStream ? { stream_options: { include_usage: true } } : {}),
      ...defined({
        max_tokens: max_tokens ?? undefined,
        temperature: temperature ?? undefined,
        top_p: top_p ?? undefined,
        reasoning_effort: effort,
        response_format: readFormat(body.text),
      }),
      ...(tools.length === 0 ? {} : { tools: tools.map(toChatTool), tool_choice: toChatChoice(choice) }),
      ...(tools.length === 0 || isParallel ? {} : { parallel_tool_calls: false }),
    },
    model,
    tools,
    clientTools,
    choice,
    isParallel,
    isStream,
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readChoice(value: unknown, tools: ClientTools): ToolChoice {
  if (!isPresent(value) || value === 'auto') return 'auto'
  if (value === 'none' || value === 'required') return value
  if (isRecord(value) && (value.type === 'function' || value.type === 'custom') && typeof value.name === 'string') {
    return { name: tools.toFunction(value.name, undefined) }
  }
  throw cannotTranslate('tool_choice')
}

function readFormat(text: unknown): unknown {
  const format = isRecord(text) ? text.format : undefined
  if (!isRecord(format) || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json_object' }
  if (format.type !== 'json_schema') throw cannotTranslate('text.format.type')
  const { name, schema, strict, description } = format
  return { type: 'json_schema', json_schema: { name, schema, ...defined({ strict, description }) } }
}

function readInstructions(instructions: unknown): Fields[] {
  if (!isPresent(instructions) || instructions === '') return []
  if (typeof instructions !== 'string') throw badField('instructions', 'a text')
  return [{ role: 'system', content: instructions }]
}

function readInput(input: unknown, tools: ClientTools): Fields[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const messages: Record<string, unknown>[] = []
  for (const [index, item] of readList(input, 'input').entries()) readItem(item, `input.${index}`, tools, messages)
  return messages
}

function readItem(item: Fields, field: string, tools: ClientTools, messages: Record<string, unknown>[]): void {
  switch (item.type ?? 'message') {
    case 'message':
      messages.push(readMessage(item, field))
      return
    case 'function_call':
      addCall(item, item.arguments, tools, messages)
      return
    case 'custom_tool_call':
      addCall(item, toFreeformArguments(item.input), tools, messages)
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: readOutput(item.output, field) })
      return
    case 'reasoning':
      return
    default:
      throw cannotTranslate(
        `${field}.type`,
        `The upstream has no counterpart for a \`${String(item.type).slice(0, 60)}\` item.`,
      )
  }
}

/** In chat completions, calls belong to the assistant message before them. */
function addCall(item: Fields, json: unknown, tools: ClientTools, messages: Record<string, unknown>[]): void {
  const namespace = typeof item.namespace === 'string' ? item.namespace : undefined
  const name = tools.toFunction(String(item.name), namespace)
  const call = { id: item.call_id, type: 'function', function: { name, arguments: json } }
  const last = messages.at(-1)
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  else last.tool_calls = [...(Array.isArray(last.tool_calls) ? last.tool_calls : []), call]
}

function readMessage({ role, content }: Fields, field: string): Record<string, unknown> {
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer') {
    throw badField(`${field}.role`, 'user, assistant, system or developer')
  }
  const upstreamRole = role === 'developer' ? 'system' : role
  if (typeof content === 'string') return { role: upstreamRole, content }
  const pieces = readList(content, `${field}.content`).map((piece, index) =>
    readPiece(piece, `${field}.content.${index}`),
  )
  const isText = pieces.every(({ type }) => type === 'text')
  return { role: upstreamRole, content: isText ? pieces.map(({ text }) => text).join('') : pieces }
}

function readPiece(piece: Fields, field: string): Fields {
  if (piece.type === 'input_text' || piece.type === 'output_text' || piece.type === 'text') {
    return { type: 'text', text: String(piece.text) }
  }
  if (piece.type === 'refusal') return { type: 'text', text: String(piece.refusal) }
  if (piece.type === 'input_image' && typeof piece.image_url === 'string') {
    return { type: 'image_url', image_url: { url: piece.image_url, ...defined({ detail: piece.detail ?? undefined }) } }
  }
  throw cannotTranslate(
    `${field}.type`,
    `The upstream has no counterpart for a \`${String(piece.type).slice(0, 60)}\` part.`,
  )
}

function readOutput(output: unknown, field: string): string {
  if (typeof output === 'string') return output
  if (!Array.isArray(output)) return JSON.stringify(output ?? '')
  return readList(output, `${field}.output`)
    .map((piece, index) => {
      const textPiece = readPiece(piece, `${field}.output.${index}`)
      if (textPiece.type !== 'text')
        throw cannotTranslate(`${field}.output.${index}.type`, 'The upstream accepts tool results only as text.')
      return String(textPiece.text)
    })
    .join('\n')
}
