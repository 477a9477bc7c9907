import { isRecord } from '@argot/core/stream/internal'
import type { Fields } from './field.ts'

/**
 * Messages in an order that every chat template takes: one system message at the beginning, and turns that alternate. What
 * other protocols say as system later on is said as the user, and messages of the user in a row are one.
 */
export function joinMessages(messages: readonly Fields[]): Fields[] {
  const joined: Fields[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    const isFirst = last === undefined || (joined.length === 1 && last.role === 'system')
    const role = message.role === 'system' && !isFirst ? 'user' : message.role
    const isJoined = last?.role === role && (role === 'system' || role === 'user')
    if (isJoined) joined[joined.length - 1] = { ...last, content: joinContents(last?.content, message.content) }
    else joined.push({ ...message, role })
  }
  return joined
}

export function joinContents(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n\n${b}`
  return [...toPieces(a), ...toPieces(b)]
}

/** The text of a message's content. */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(piece => (isRecord(piece) && typeof piece.text === 'string' ? piece.text : '')).join('')
}

function toPieces(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: toText(content) }]
}
