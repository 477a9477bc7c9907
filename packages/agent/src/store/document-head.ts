import { getMessageText, type Message } from '@argot/core'
import { type ChatDocument, expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import type { Documents } from './store.ts'

const HEAD_BYTES = 16 * 1024
const TITLE_LENGTH = 80

export interface DocumentHead {
  /** The first line of the first message, or the file name. May contain any character. */
  title: string
  model?: string
  config?: ChatDocument['config']
  /** The text of the first message and of its answer, as far as the beginning contains them. */
  request?: string
  answer?: string
}

/** Reads the beginning of a document. If it can't be read, its title is the file name. */
export async function readDocumentHead(documents: Documents, path: string): Promise<DocumentHead> {
  try {
    const text = (await documents.readStart?.(path, HEAD_BYTES)) ?? (await documents.read(path)).text
    const { document } = parseChatMd(text.slice(0, HEAD_BYTES), { file: path })
    const { messages } = await expand(document, { resolver: readNothing })
    const { config } = document
    const request = getText(messages, 'user')
    const answer = getText(messages, 'assistant')
    return { title: titleFromText(path, request ?? ''), ...defined({ model: config?.model, config, request, answer }) }
  } catch {
    return { title: toName(path) }
  }
}

/** The first line of a document's first message, or its file name if there is no text. */
export function titleFromText(path: string, text: string): string {
  const line = text.trim().split('\n', 1)[0]!.trim()
  if (line === '') return toName(path)
  return line.length > TITLE_LENGTH ? `${firstCharacters(line, TITLE_LENGTH - 1)}…` : line
}

function getText(messages: readonly { message: Message }[], role: Message['role']): string | undefined {
  const first = messages.find(({ message }) => message.role === role)?.message
  const text = first === undefined ? '' : getMessageText(first).trim()
  return text === '' ? undefined : text
}

function toName(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
}

/** Finding a title needs no files. */
const readNothing: Resolver = {
  resolve: async () => ({ ok: false, problem: { code: 'CHATMD_FILE_NOT_FOUND', message: 'It is not read.' } }),
}
