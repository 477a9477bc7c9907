import type { FilePart, Message, TextPart } from '../message/message.ts'
import { isRecord } from '../source/is-record.ts'
import type { Chunk } from './chunk.ts'

export type UserMessageChunk = Extract<Chunk, { type: 'user-message' }>

export function toUserMessageChunk({ id: messageId, parts, createdAt }: Message): UserMessageChunk {
  const contentParts = parts.filter(part => part.type === 'text' || part.type === 'file')
  return { type: 'user-message', messageId, parts: contentParts, ...(createdAt === undefined ? {} : { createdAt }) }
}

export function toSteeredMetadata({ messageId }: UserMessageChunk): { steeredBy: string } {
  return { steeredBy: messageId }
}

/**
 * Ends a stock client's stream before the user's message: the client's own message is complete. Without the empty step,
 * a client that resubmits a message once its calls have results would treat it as one that waits.
 */
export function endBeforeUserMessage(chunk: UserMessageChunk, messageId: string | undefined): Chunk[] {
  const id = messageId === undefined ? {} : { messageId }
  return [
    { type: 'start-step' },
    { type: 'finish-step' },
    { type: 'finish', ...id, messageMetadata: toSteeredMetadata(chunk) },
  ]
}

/** Takes only texts and files, whatever else a hostile stream puts into the chunk. */
export function fromUserMessageChunk({ messageId: id, parts, createdAt }: UserMessageChunk, now: number): Message {
  const contentParts = Array.isArray(parts) ? parts.flatMap((part, index) => toPart(part, `${id}:${index}`)) : []
  const time = typeof createdAt === 'string' ? createdAt.toWellFormed() : new Date(now).toISOString()
  return { id, role: 'user', status: 'sent', createdAt: time, parts: contentParts }
}

function toPart(part: unknown, id: string): (TextPart | FilePart)[] {
  if (!isRecord(part)) return []
  const { type, text, url, mediaType, filename } = part
  if (type === 'text' && typeof text === 'string') return [{ type, id, text: text.toWellFormed(), state: 'done' }]
  if (type !== 'file' || typeof url !== 'string' || typeof mediaType !== 'string') return []
  const file: FilePart = { type, url: url.toWellFormed(), mediaType: mediaType.toWellFormed() }
  return [typeof filename === 'string' ? { ...file, filename: filename.toWellFormed() } : file]
}

/** Reads a run as one message for clients that only append: without user messages and the starts after them. */
export class SteeredFilter {
  #isSteered = false

  /** Takes the next chunk. True if such a client doesn't get it. */
  leavesOut(chunk: Chunk): boolean {
    if (chunk.type === 'user-message') this.#isSteered = true
    else if (chunk.type !== 'start' || !this.#isSteered) return false
    else this.#isSteered = false
    return true
  }
}
