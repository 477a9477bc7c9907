import type { ToolDefinition } from '@argot/core'
import { defined, isRecord } from '@argot/core/stream/internal'
import {
  badField,
  cannotTranslate,
  checkFields,
  type Fields,
  readList,
  readModel,
  readTool,
  toChatTool,
} from './field.ts'
import { joinMessages } from './join-messages.ts'
import type { CompletionRequest, ToolChoice } from './protocol.ts'

const translatedFields =
  'model messages system max_tokens stop_sequences stream temperature top_p top_k tools tool_choice output_config'
/** Fields that only concern the server. Ignoring them doesn't change the answer. */
const ignoredFields =
  'metadata thinking service_tier context_management betas cache_control anthropic_version inference_geo speed'
const knownFields: ReadonlySet<string> = new Set(`${translatedFields} ${ignoredFields}`.split(' '))

export function readMessagesRequest(body: Fields): CompletionRequest {
  checkFields(body, knownFields)
  const model = readModel(body)
  const tools = isPresent(body.tools) ? readList(body.tools, 'tools').map(readMessagesTool) : []
  const { choice, isParallel } = readChoice(body.tool_choice)
  const isStream = body.stream === true
  const { max_tokens, temperature, top_p, top_k, stop_sequences: stop } = body
  return {
    body: {
      model,
      messages: joinMessages([...readSystem(body.system), ...readList(body.messages, 'messages').flatMap(readMessage)]),
      stream: isStream,
      ...(isStream ? { stream_options: { include_usage: true } } : {}),
      ...defined({ max_tokens, temperature, top_p, top_k, stop, ...readOutputConfig(body.output_config) }),
      ...(tools.length === 0 ? {} : { tools: tools.map(toChatTool), tool_choice: toChatChoice(choice) }),
      ...(tools.length === 0 || isParallel ? {} : { parallel_tool_calls: false }),
    },
    model,
    tools,
    choice,
    isParallel,
    isStream,
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function toChatChoice(choice: ToolChoice): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice
}

/** Tools with a type are run by Anthropic, or only its models know their schema. */
function readMessagesTool(tool: Fields, index: number): ToolDefinition {
  if (isPresent(tool.type) && tool.type !== 'custom') {
    throw cannotTranslate(
      `tools.${index}.type`,
      `Only tools with their own \`input_schema\` can be, not \`${String(tool.type).slice(0, 60)}\`.`,
    )
  }
  return readTool(tool.name, tool.description, tool.input_schema, `tools.${index}`)
}

function readChoice(value: unknown): { choice: ToolChoice; isParallel: boolean } {
  if (!isRecord(value)) return { choice: 'auto', isParallel: true }
  const isParallel = value.disable_parallel_tool_use !== true
  switch (value.type) {
    case 'auto':
    case 'none':
      return { choice: value.type, isParallel }
    case 'any':
      return { choice: 'required', isParallel }
    case 'tool':
      if (typeof value.name === 'string') return { choice: { name: value.name }, isParallel }
      throw badField('tool_choice.name', 'the name of a tool')
    default:
      throw badField('tool_choice.type', 'auto, any, tool or none')
  }
}

function readOutputConfig(config: unknown): Record<string, unknown> {
  if (!isRecord(config)) return {}
  checkFields(config, new Set(['format', 'effort']), 'output_config.')
  const { format, effort } = config
  if (!isRecord(format)) return { reasoning_effort: effort ?? undefined }
  if (format.type !== 'json_schema') throw cannotTranslate('output_config.format.type')
  const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } }
  return { response_format, reasoning_effort: effort ?? undefined }
}

function readSystem(system: unknown): Fields[] {
  if (!isPresent(system) || system === '') return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  const texts = readList(system, 'system').map(({ text, type }, index) => {
    if (type !== 'text' || typeof text !== 'string') throw cannotTranslate(`system.${index}.type`)
    return text
  })
  return [{ role: 'system', content: texts.join('\n\n') }]
}

function readMessage({ role, content }: Fields, index: number): Fields[] {
  const field = `messages.${index}`
  if (role !== 'user' && role !== 'assistant' && role !== 'system') throw badField(`${field}.role`, 'user or assistant')
  if (typeof content === 'string') return [{ role, content }]
  const blocks = readList(content, `${field}.content`)
  if (role === 'assistant') return [readAssistant(blocks, field)]
  return readUser(blocks, field, role)
}

/** Thinking isn't sent upstream: it is signed for Anthropic's own servers. */
function readAssistant(blocks: readonly Fields[], field: string): Fields {
  const texts: string[] = []
  const calls: Fields[] = []
  for (const [index, block] of blocks.entries()) {
    switch (block.type) {
      case 'text':
        texts.push(String(block.text))
        break
      case 'tool_use':
        calls.push({
          id: block.id,
          type: 'function',
          function: { name: block.name, arguments: JSON.stringify(block.input ?? {}) },
        })
        break
      case 'thinking':
      case 'redacted_thinking':
        break
      default:
        throw cannotTranslate(
          `${field}.content.${index}.type`,
          `The upstream has no counterpart for a \`${String(block.type).slice(0, 60)}\` block.`,
        )
    }
  }
  const content = texts.join('')
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Results become separate messages before the user's text. Their images go into the user's message. */
function readUser(blocks: readonly Fields[], field: string, role: string): Fields[] {
  const results: Fields[] = []
  const pieces: Fields[] = []
  for (const [index, block] of blocks.entries()) {
    const at = `${field}.content.${index}`
    if (block.type !== 'tool_result') {
      pieces.push(readPiece(block, at))
      continue
    }
    const { text, images } = readResult(block, at)
    results.push({ role: 'tool', tool_call_id: block.tool_use_id, content: text })
    pieces.push(...images)
  }
  if (pieces.length === 0) return results
  const isText = pieces.every(({ type }) => type === 'text')
  const content = isText ? pieces.map(({ text }) => String(text)).join('\n\n') : pieces
  return [...results, { role, content }]
}

function readResult(block: Fields, field: string): { text: string; images: Fields[] } {
  const prefix = block.is_error === true ? 'Error: ' : ''
  if (!isPresent(block.content)) return { text: prefix, images: [] }
  if (typeof block.content === 'string') return { text: prefix + block.content, images: [] }
  const pieces = readList(block.content, `${field}.content`).map((piece, index) =>
    readPiece(piece, `${field}.content.${index}`),
  )
  const texts = pieces.map(piece => (piece.type === 'text' ? String(piece.text) : '[an image, attached]'))
  return { text: prefix + texts.join('\n'), images: pieces.filter(({ type }) => type !== 'text') }
}

function readPiece(block: Fields, field: string): Fields {
  const source = isRecord(block.source) ? block.source : {}
  if (block.type === 'text') return { type: 'text', text: String(block.text) }
  if (block.type === 'image' && source.type === 'base64') {
    return { type: 'image_url', image_url: { url: `data:${String(source.media_type)};base64,${String(source.data)}` } }
  }
  if (block.type === 'image' && source.type === 'url') return { type: 'image_url', image_url: { url: source.url } }
  if (block.type === 'document' && source.type === 'text') return { type: 'text', text: String(source.data) }
  if (block.type === 'tool_reference' && typeof block.tool_name === 'string')
    return { type: 'text', text: block.tool_name }
  throw cannotTranslate(
    `${field}.type`,
    `The upstream has no counterpart for a \`${String(block.type).slice(0, 60)}\` block.`,
  )
}
