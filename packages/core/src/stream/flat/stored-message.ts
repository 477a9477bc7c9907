import type { FlatChatMessage, FlatToolCall, ToolActivity } from './flat-chat-message.ts'

/** A flat record as it comes from a store: JSON, written by any version, with fields that may be missing or null. */
export interface StoredChatMessage {
  id?: string | null
  role?: FlatChatMessage['role'] | null
  content?: string | null
  toolCalls?: readonly (Partial<FlatToolCall> | null)[] | null
  createdAt?: Date | string | number | null
  toolActivity?: ToolActivity | null
}

/** The calls of the record that are objects. */
export function storedCalls({ toolCalls }: StoredChatMessage): readonly Partial<FlatToolCall>[] {
  if (!Array.isArray(toolCalls)) return []
  return (toolCalls as unknown[]).filter(
    (call): call is Partial<FlatToolCall> => typeof call === 'object' && call !== null,
  )
}

/** When the record was made, in ISO 8601; undefined where it does not say. */
export function storedTime({ createdAt }: StoredChatMessage): string | undefined {
  if (createdAt === undefined || createdAt === null) return undefined
  const date = new Date(createdAt)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/**
 * The content without the commentary that older versions left in it: of each call the first occurrence, in order. A
 * record that says what it is busy with is of a newer kind: there a commentary counts only as whole words, and not
 * where it is all that the record says.
 */
export function contentWithoutCommentary(record: StoredChatMessage): string {
  const content = typeof record.content === 'string' ? record.content : ''
  const calls = storedCalls(record)
  if (calls.length === 0) return content
  const isNewer = record.toolActivity !== undefined && record.toolActivity !== null
  let text = content
  for (const { commentary } of calls) {
    const remark = typeof commentary === 'string' ? commentary : ''
    const at = isNewer ? indexOfWords(text, remark.trim()) : text.indexOf(remark)
    const length = isNewer ? remark.trim().length : remark.length
    if (length === 0 || at === -1) continue
    text = text.slice(0, at) + text.slice(at + length)
  }
  const answer = text.trim()
  return isNewer && (answer === '' || text === content) ? content : answer
}

/** Where the words are, with a blank or an end on either side; -1 where they are not. */
function indexOfWords(text: string, words: string): number {
  if (words === '') return -1
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    if (isBlankAt(text, at - 1) && isBlankAt(text, at + words.length)) return at
  }
  return -1
}

function isBlankAt(text: string, at: number): boolean {
  return at < 0 || at >= text.length || /\s/.test(text[at]!)
}
