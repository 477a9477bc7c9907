import type { Message } from 'argot'
import { api } from '../server/api.ts'
import { messageSoFar } from './message-so-far.ts'

/** Makes a document with the history before a message, and the message as far as it was said. Gives its path. */
export async function forkAt(document: string, messageId: string, said: Message | undefined): Promise<string> {
  const path = await api.branch(document, messageId, false)
  const message = said === undefined ? undefined : messageSoFar(said)
  if (message === undefined) return path
  const { writeChatMd } = await import('argot/chatmd')
  const { text, version } = await api.text(path)
  const { append } = writeChatMd([{ type: 'message', message }], { payloads: 'inline', after: text })
  await api.write(path, text + append, version)
  return path
}
