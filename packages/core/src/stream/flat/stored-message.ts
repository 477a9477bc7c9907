import type { FlatChatMessage, FlatToolCall, ToolActivity } from './flat-chat-message.ts'

/** A flat record from a store: JSON, written by any version, with fields that may be missing or null. */
export interface StoredChatMessage {
  id?: string | null
  role?: FlatChatMessage['role'] | null
  content?: string | null
  toolCalls?: readonly (Partial<FlatToolCall> | null)[] | null
  createdAt?: Date | string | number | null
  toolActivity?: ToolActivity | null
}

export function storedCalls({ toolCalls }: StoredChatMessage): readonly Partial<FlatToolCall>[] {
  if (!Array.isArray(toolCalls)) return []
  return (toolCalls as unknown[]).filter(
    (call): call is Partial<FlatToolCall> => typeof call === 'object' && call !== null,
  )
}

/** In ISO 8601; undefined if the record has no valid time. */
export function storedTime({ createdAt }: StoredChatMessage): string | undefined {
  if (createdAt === undefined || createdAt === null) return undefined
  const date = new Date(createdAt)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/**
 * Older versions left commentary in the content: this removes the first occurrence for each call, in order. A record
 * with the current activity comes from a newer version. There, a commentary is only removed if it matches whole words
 * and isn't the entire content.
 */
export function contentWithoutCommentary(record: StoredChatMessage): string {
  const content = typeof record.content === 'string' ? record.content : ''
  const calls = storedCalls(record)
  if (calls.length === 0) return content
  const isNewer = record.toolActivity !== undefined && record.toolActivity !== null
  let text = content
  for (const { commentary } of calls) {
    const remark = typeof commentary === 'string' ? commentary : ''
    const at = isNewer ? findWords(text, remark.trim()) : text.indexOf(remark)
    const length = isNewer ? remark.trim().length : remark.length
    if (length === 0 || at === -1) continue
    text = text.slice(0, at) + text.slice(at + length)
  }
  const answer = text.trim()
  return isNewer && (answer === '' || text === content) ? content : answer
}

/** With white space or an end on either side; -1 if the words don't occur. */
function findWords(text: string, words: string): number {
  if (words === '') return -1
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    if (isBlankAt(text, at - 1) && isBlankAt(text, at + words.length)) return at
  }
  return -1
}

function isBlankAt(text: string, at: number): boolean {
  return at < 0 || at >= text.length || /\s/.test(text[at]!)
}
