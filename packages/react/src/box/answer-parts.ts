import { isToolPart, type Message, type MessagePart } from '@argot/core'

/**
 * The indexes of the parts that a conversation shows next to the widget: the answer, files and sources. A text is held
 * back until its step is known, so that a commentary never appears as an answer first. Nothing is held back once the
 * message is over.
 */
export function answerParts({ parts, status }: Pick<Message, 'parts' | 'status'>): number[] {
  const lastCall = parts.findLastIndex(isToolPart)
  const isOver = status !== 'streaming'
  const isAnswering = isOver || parts.some((part, index) => index > lastCall && isAnswer(part, false))
  return parts.flatMap((part, index) => (isOutside(part, index > lastCall && isAnswering, isOver) ? [index] : []))
}

function isOutside(part: MessagePart, isWithAnswer: boolean, isOver: boolean): boolean {
  switch (part.type) {
    case 'text':
      return isAnswer(part, isOver)
    case 'reasoning':
      return isWithAnswer
    case 'tool':
    case 'dynamic-tool':
    case 'step-start':
      return false
    default:
      return !part.type.startsWith('data-argot-')
  }
}

function isAnswer(part: MessagePart, isOver: boolean): boolean {
  if (part.type !== 'text' || part.text.trim() === '') return false
  if (part.phase === 'commentary' || part.phase === 'remainder') return false
  return isOver || part.phase !== 'pending'
}
