import type { Message, MessagePart } from '../../message/message.ts'
import { isSummary } from '../../message/summary.ts'
import { stepsToSend } from './message-steps.ts'

/**
 * The unit that a summary replaces: a message that is not the assistant's, or one reply with its calls and their
 * results.
 */
export interface PromptTurn {
  role: Message['role']
  parts: readonly MessagePart[]
}

export interface PromptCut {
  text: string
  /** How many turns the summary replaces, from the first one. System and developer messages among them stay. */
  turns: number
  /** The summary claims to replace more turns than there were. */
  isClamped: boolean
  /** The last user message before the summary stays too. Turns start at 1; 0 if there is none. */
  taskTurn: number
  taskMessageIndex: number
  summaryMessageIndex: number
}

export interface PromptTurns {
  turns: PromptTurn[]
  cut: PromptCut | undefined
}

/**
 * A conversation's turns in order, and where its newest summary cuts it. `isCut`: the last message is an answer that
 * reached the token limit.
 */
export function readTurns(
  messages: readonly Pick<Message, 'role' | 'parts' | 'status'>[],
  isCut: boolean = false,
): PromptTurns {
  const turns: PromptTurn[] = []
  let taskTurn = 0
  let taskMessageIndex = -1
  let cut: PromptCut | undefined
  for (const [index, message] of messages.entries()) {
    const { role, parts } = message
    if (role !== 'assistant') {
      turns.push({ role, parts })
      if (role === 'user') {
        taskTurn = turns.length
        taskMessageIndex = index
      }
      continue
    }
    const isLast = index === messages.length - 1
    const starts = new Map(stepsToSend(message, isLast, isLast && isCut).map(step => [step[0], step]))
    for (const part of parts) {
      const step = starts.get(part)
      if (step !== undefined) turns.push({ role, parts: step })
      if (!isSummary(part)) continue
      const { text, replaces } = part.data
      const isClamped = replaces > turns.length
      cut = {
        text,
        turns: Math.min(replaces, turns.length),
        isClamped,
        taskTurn,
        taskMessageIndex,
        summaryMessageIndex: index,
      }
    }
  }
  return { turns, cut: cut !== undefined && cut.turns > 0 ? cut : undefined }
}
