import { readPrompt } from '@argot/agent/internal'
import { ArgotError, getMessageText, type Message } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import {
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { readDataUri } from '../io/read-data-uri.ts'
import type { McpService } from './mcp-service.ts'
import type { ServedFolder, ServedTool } from './served-folder.ts'

type McpPromptMessage = GetPromptResult['messages'][number]

/** Documents with parameters whose last message is the user's. */
export async function listPrompts(folder: ServedFolder): Promise<ListPromptsResult> {
  const prompts = (await folder.tools()).filter(isPrompt)
  return {
    prompts: prompts.map(({ name, path, card }) => ({
      name,
      description: card.description ?? `The prompt in ${path}.`,
      arguments: card.params.map(one => ({ name: one.name, required: one.isRequired })),
    })),
  }
}

export async function getPrompt(
  { folder, run }: McpService,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  try {
    const tool = await folder.find(name)
    if (tool === undefined || !isPrompt(tool)) throw invalid(`There is no prompt \`${name.slice(0, 200)}\`.`)
    const missing = tool.card.params.find(one => one.isRequired && !Object.hasOwn(values, one.name))
    if (missing !== undefined) throw invalid(`The argument \`${missing.name}\` is missing.`)
    const messages = await readPrompt(await folder.read(tool.path), values, run)
    return { messages: toPromptMessages(messages), ...defined({ description: tool.card.description }) }
  } catch (error) {
    if (error instanceof ArgotError) throw invalid(`${error.code}: ${error.message}`)
    throw error
  }
}

function isPrompt({ card }: ServedTool): boolean {
  return card.params.length > 0 && card.isPrompt
}

/** The protocol has no system messages in prompts, so their text goes before the user's first words. */
function toPromptMessages(messages: readonly Message[]): McpPromptMessage[] {
  const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer'
  const system = messages.filter(isSystem).map(getMessageText)
  const prompt: McpPromptMessage[] = []
  for (const message of messages.filter(one => !isSystem(one))) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const before = role === 'user' ? system.splice(0) : []
    const text = [...before, getMessageText(message)].map(one => one.trim()).join('\n\n')
    if (text !== '') prompt.push({ role, content: { type: 'text', text } })
    prompt.push(...toFiles(message, role))
  }
  return prompt
}

/** Embedded images and files are sent. The protocol has no linked images, so the model gets their addresses. */
function toFiles(message: Message, role: McpPromptMessage['role']): McpPromptMessage[] {
  return message.parts.flatMap((part): McpPromptMessage[] => {
    if (part.type !== 'file') return []
    const { url, mediaType, filename } = part
    const embedded = readDataUri(url, mediaType)
    if (embedded === undefined) {
      const kind = mediaType.startsWith('image/') ? 'Image' : 'File'
      const name = filename === undefined ? '' : ` ${filename}`
      return [{ role, content: { type: 'text', text: `${kind}${name}: ${url}` } }]
    }
    const { mimeType, data } = embedded
    if (mimeType.startsWith('image/')) return [{ role, content: { type: 'image', mimeType, data } }]
    const uri = `attachment:${encodeURIComponent((filename ?? 'file').toWellFormed())}`
    return [{ role, content: { type: 'resource', resource: { uri, mimeType, blob: data } } }]
  })
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
