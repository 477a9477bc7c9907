import { ArgotError, type Message } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import type { AgentRequest } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'

type InputPart = AgentRequest['input'][number]

export function inputMessage(
  id: string,
  { input, parts }: { input?: string | Message | undefined; parts?: AgentRequest['input'] },
  now: number,
): Message | undefined {
  const inputParts = parts ?? (input === undefined ? undefined : toParts(input))
  if (inputParts === undefined || inputParts.length === 0) return undefined
  const {
    id: messageId,
    createdAt,
    metadata,
  }: Partial<Message> & Pick<Message, 'id'> = typeof input === 'object' ? input : { id: `user-${id}` }
  return {
    id: messageId,
    role: 'user',
    status: 'sent',
    createdAt: createdAt ?? new Date(now).toISOString(),
    ...defined({ metadata }),
    parts: inputParts.map((part, index) =>
      part.type === 'text' ? { ...part, id: `${messageId}:${index}`, state: 'done' } : part,
    ),
  }
}

/** Text and files: users send nothing else. */
function toParts(input: string | Message): InputPart[] {
  if (typeof input === 'string') return [{ type: 'text', text: input }]
  return input.parts.flatMap((part): InputPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type !== 'file') return []
    const { type, url, mediaType, filename } = part
    return [filename === undefined ? { type, url, mediaType } : { type, url, mediaType, filename }]
  })
}

/** Throws for a file that would have to be read first: a working run only takes files that are inside the message. */
export function refuseLinkedFiles({ parts }: Message): void {
  for (const part of parts) {
    if (part.type !== 'file' || /^data:/i.test(part.url)) continue
    const error = 'A message to a working run can only contain files as data URLs. Send this one after the run.'
    throw new ArgotError('MODEL_FILE_UNREADABLE', error)
  }
}

/** Throws for a file that would make the document unreadable. It is refused before it is written there. */
export async function refuseUnreadableFiles(
  { parts }: Message,
  resolver: Resolver,
  document: string | undefined,
): Promise<void> {
  for (const part of parts) {
    if (part.type !== 'file' || /^data:/i.test(part.url)) continue
    const request = { kind: 'img', src: part.url, local: false, html: 'keep', from: document, document } as const
    const resolved = await resolver.resolve(request)
    if (!resolved.ok) throw new ArgotError('MODEL_FILE_UNREADABLE', `A file can't be sent: ${resolved.problem.message}`)
  }
}
