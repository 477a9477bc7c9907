import type { Message } from '../../message/message.ts'
import type { PromptPiece } from './prompt-parts.ts'
import type { AgentRequest } from './resolver.ts'

export function joinText(pieces: readonly (PromptPiece & { origin: unknown })[]): AgentRequest['input'] {
  const joined: AgentRequest['input'] = []
  for (const { origin: _, ...piece } of pieces) {
    const last = joined.at(-1)
    if (piece.type === 'text' && last?.type === 'text') last.text += piece.text
    else joined.push(piece)
  }
  return joined
}

export function isEmpty(message: Message): boolean {
  return message.parts.every(part => part.type === 'text' && part.text.trim() === '')
}

export function shortenSource(src: string): string {
  return src.length > 100 ? `${src.slice(0, 100)}…` : src
}
