import type { Message, MessagePart } from '../message/message.ts'
import { isToolPart } from '../message/message.ts'

/** A message without its parts, as in the comment before it. */
export type TranscriptHead = Omit<Message, 'parts'>

export const stepMark = '<!-- argot step -->'

/**
 * A conversation as Markdown. A comment line before each message has its role and other fields; `writeBody` writes its
 * body.
 *
 *     <!-- argot message {"role":"user","id":"u1","status":"sent"} -->
 *     What is new?
 */
export function writeMessages(messages: readonly Message[], writeBody: (message: Message) => string): string {
  return messages.map(message => `${marker(message)}\n${writeBody(message)}\n`).join('')
}

/** The messages of such a text. Markdown without comments is one assistant message. */
export function readMessages(text: string, readBody: (head: TranscriptHead, body: string) => Message): Message[] {
  const heads = [...text.matchAll(/^<!-- argot message (\{.*\}) -->(?:\r?\n|$)/gm)]
  if (heads.length === 0)
    return text.trim() === '' ? [] : [readBody({ id: 'message-1', role: 'assistant', status: 'sent' }, text)]
  const messages: Message[] = []
  const before = text.slice(0, heads[0]!.index)
  if (before.trim() !== '') messages.push(readBody({ id: 'message-0', role: 'assistant', status: 'sent' }, before))
  heads.forEach((head, index) => {
    const body = text.slice(head.index + head[0].length, heads[index + 1]?.index ?? text.length).replace(/\r?\n$/, '')
    messages.push(readBody(readMarker(head[1]!, index), body))
  })
  return messages
}

/** The body of a message that is not the assistant's: its text. */
export function writePlainBody({ parts }: Message): string {
  return withoutMarkers(parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
}

export function readPlainBody(head: TranscriptHead, body: string): Message {
  const parts: MessagePart[] = body === '' ? [] : [{ type: 'text', id: '0', text: body, state: 'done' }]
  return { ...head, parts }
}

/** Text that would be read as a message's head is escaped with a backslash. */
export function withoutMarkers(text: string): string {
  return text.replace(/^<!-- argot /gm, '\\$&')
}

/** The parts of a message that was read: empty lines around calls are layout, and nothing here has a time. */
export function tidyParts(parts: readonly MessagePart[]): MessagePart[] {
  return parts.map(tidy).filter(part => part.type !== 'text' || part.text !== '')
}

function tidy(part: MessagePart): MessagePart {
  if (part.type === 'text') return { ...part, text: part.text.trimEnd().replace(/^\s*\n/, '') }
  if (!isToolPart(part)) return part
  const { startedAt: _, endedAt: __, ...toolInvocation } = part.toolInvocation
  return { ...part, toolInvocation } as MessagePart
}

function marker({ parts: _, ...head }: Message): string {
  return `<!-- argot message ${commentJson(head)} -->`
}

/** JSON that can't end the comment it is in. */
export function commentJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('>', '\\u003e')
}

function readMarker(json: string, index: number): TranscriptHead {
  const fallback: TranscriptHead = { id: `message-${index + 1}`, role: 'assistant', status: 'sent' }
  try {
    const head = JSON.parse(json) as Partial<TranscriptHead>
    return typeof head.id === 'string' && typeof head.role === 'string' ? { ...fallback, ...head } : fallback
  } catch {
    return fallback
  }
}
