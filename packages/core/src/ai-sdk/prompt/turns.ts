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
  /** The turn number of the last user message before the summary, starting at 1: it stays too. 0 if there is none. */
  task: number
  /** The indexes of that message and of the one with the summary. */
  taskMessage: number
  message: number
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
  let task = 0
  let taskMessage = -1
  let cut: PromptCut | undefined
  for (const [index, message] of messages.entries()) {
    const { role, parts } = message
    if (role !== 'assistant') {
      turns.push({ role, parts })
      if (role === 'user') {
        task = turns.length
        taskMessage = index
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
      cut = { text, turns: Math.min(replaces, turns.length), isClamped, task, taskMessage, message: index }
    }
  }
  return { turns, cut: cut !== undefined && cut.turns > 0 ? cut : undefined }
}
