import { isToolPart, type Message, type MessagePart } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { api } from '../server/api.ts'

/** Makes a document with the history before a message, and the message as far as it was written. Returns its path. */
export async function forkAt(document: string, messageId: string, original: Message | undefined): Promise<string> {
  const path = await api.branch(document, messageId, false)
  const message = original === undefined ? undefined : messageSoFar(original)
  if (message === undefined) return path
  const { writeChatMd } = await import('@argot/core/chatmd')
  const { text, version } = await api.text(path)
  const { append } = writeChatMd([{ type: 'message', message }], {
    payloads: 'inline',
    after: text,
    bookkeeping: 'apart',
  })
  await api.write(path, text + append, version)
  return path
}

/** The part of a message that can be continued: its text and its finished calls. Undefined if that is empty. */
function messageSoFar({ id, role, parts }: Message): Message | undefined {
  const finishedParts = parts.flatMap((part): MessagePart[] => {
    if (isToolPart(part)) return isSettled(part.toolInvocation) ? [part] : []
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ ...part, state: 'done' }]
    return part.type === 'reasoning' ? [{ ...part, state: 'done' }] : [part]
  })
  const hasContent = finishedParts.some(({ type }) => type !== 'step-start')
  return hasContent ? { id, role, status: 'sent', parts: finishedParts } : undefined
}
