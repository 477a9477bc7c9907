import { getMessageText, isToolPart, type Message } from '@argot/core'
import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import { titleFromText } from '../store/document-head.ts'

export interface SearchedMessage {
  /** The message's position in the document, from 1. */
  number: number
  id: string
  role: Message['role']
  text: string
}

export interface SearchedDocument {
  title: string
  messages: SearchedMessage[]
}

/** Reads nothing that the document refers to. A broken document is treated as text too. */
export async function readMessages(path: string, source: string): Promise<SearchedDocument> {
  const { document } = parseChatMd(source, { file: path })
  const { messages } = await expand(document, { resolver: readNothing })
  const texts = messages.map(
    ({ message }, index): SearchedMessage => ({
      number: index + 1,
      id: message.id,
      role: message.role,
      text: messageText(message),
    }),
  )
  const first = messages.find(({ message }) => message.role === 'user')?.message
  return { title: titleFromText(path, first === undefined ? '' : getMessageText(first)), messages: texts }
}

function messageText({ parts }: Message): string {
  const lines: string[] = []
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') lines.push(part.text)
    else if (isToolPart(part)) {
      const { toolName, input, output, errorText } = part.toolInvocation
      lines.push(toolName, ...[input, output, errorText].map(plainText))
    }
  }
  return lines.filter(line => line !== '').join('\n')
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const readNothing: Resolver = {
  resolve: async () => ({ ok: false, problem: { code: 'CHATMD_FILE_NOT_FOUND', message: 'It is not read.' } }),
}
