import { getMessageText } from '@argot/core'
import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import { defined } from '@argot/core/stream/internal'
import type { Documents } from './store.ts'

/** Only this much of a document is read for its title. */
const HEAD_BYTES = 16 * 1024
const TITLE_LENGTH = 80

/** What the beginning of a document says. */
export interface DocumentHead {
  /** The first line of the first message, or the name of the file. It may hold any character. */
  title: string
  /** The model that `<config>` names. */
  model?: string
}

/** Reads the beginning of a document. One that can't be read is called by its file name. */
export async function readDocumentHead(documents: Documents, path: string): Promise<DocumentHead> {
  try {
    const text = (await documents.readStart?.(path, HEAD_BYTES)) ?? (await documents.read(path)).text
    const { document } = parseChatMd(text.slice(0, HEAD_BYTES), { file: path })
    const { messages } = await expand(document, { resolver: readNothing })
    const first = messages.find(({ message }) => message.role === 'user')?.message
    const line = first === undefined ? '' : getMessageText(first).trim().split('\n', 1)[0]!.trim()
    return { title: line === '' ? toName(path) : cutTitle(line), ...defined({ model: document.config?.model }) }
  } catch {
    return { title: toName(path) }
  }
}

function cutTitle(line: string): string {
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).toWellFormed()}…` : line
}

function toName(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
}

/** A title needs nothing but the text itself. */
const readNothing: Resolver = {
  resolve: async () => ({ ok: false, problem: { code: 'CHATMD_FILE_NOT_FOUND', message: 'It is not read.' } }),
}
