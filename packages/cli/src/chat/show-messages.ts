import { getMessageText, type Message, replay, userMessage } from '@argot/core'
import { english } from '@argot/core/stream'
import type { View } from '../view/view.ts'

const MOST_RECENT = 10

/** The end of a conversation, starting with a user message, and the number of messages before it. */
export function recentMessages(messages: readonly Message[]): { recent: readonly Message[]; earlier: number } {
  if (messages.length <= MOST_RECENT) return { recent: messages, earlier: 0 }
  const tail = messages.slice(-MOST_RECENT)
  const first = Math.max(
    0,
    tail.findIndex(({ role }) => role === 'user'),
  )
  return { recent: tail.slice(first), earlier: messages.length - tail.length + first }
}

export async function showMessages(messages: readonly Message[], view: View, rows: number): Promise<void> {
  for (const message of messages) {
    if (message.role !== 'assistant') view.quote(userMessage(foldMessage(getMessageText(message), rows)))
    else for await (const chunk of replay(message, { speed: Number.POSITIVE_INFINITY })) await view.push(chunk)
  }
}

export function foldMessage(text: string, rows: number): string {
  const lines = text.trim().split('\n')
  const most = Math.max(6, rows >> 1)
  if (lines.length <= most) return text
  const head = lines.slice(0, most - 3)
  return [...head, `… ${english.count(lines.length - head.length - 2, 'line')} …`, ...lines.slice(-2)].join('\n')
}
