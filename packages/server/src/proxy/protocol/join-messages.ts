import { isRecord } from '@argot/core/stream/internal'
import type { Fields } from './field.ts'

/**
 * Orders messages so that every chat template accepts them: one system message at the beginning, then alternating
 * turns. Later system messages become user messages, and consecutive user messages are joined.
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

export function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(piece => (isRecord(piece) && typeof piece.text === 'string' ? piece.text : '')).join('')
}

function toPieces(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: toText(content) }]
}
