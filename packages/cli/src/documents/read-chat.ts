import { basename, dirname } from 'node:path'
import { folderStore } from '@argot/agent'
import { localOnly, matchDocument, readDocumentText, readRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import { ArgotError, type Message } from '@argot/core'
import { type ChatDocument, expand, parseChatMd } from '@argot/core/chatmd'

export interface ConversationText {
  messages: Message[]
  tools: string[]
  text: string
}

/** Reads a document with the local files that it names. Fetches nothing. */
export async function readChat(file: string): Promise<ConversationText> {
  const content = await readDocumentText(file)
  if (!content.ok) throw new ArgotError(content.problem.code, content.problem.message)
  const { document } = parseChatMd(content.text, { file })
  const directory = dirname(file)
  const records = matchDocument(document.tree, await readRecords(folderStore(directory), basename(file)))
  const resolver = localOnly(createResolver({ directory, cwd: directory }))
  const { messages } = await expand(document, { resolver, records })
  return {
    messages: messages.filter(({ sent, message }) => sent && message.role !== 'system').map(({ message }) => message),
    tools: toolNames(document),
    text: content.text,
  }
}

export function declaredTools(text: string): string[] {
  return toolNames(parseChatMd(text).document)
}

function toolNames({ tools }: ChatDocument): string[] {
  return tools.map(tool => ('name' in tool && typeof tool.name === 'string' ? tool.name : tool.kind))
}
