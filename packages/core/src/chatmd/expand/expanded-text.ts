import type { Message } from '../../message/message.ts'
import type { PromptPiece } from './prompt-parts.ts'
import type { AgentRequest } from './resolver.ts'

/** The pieces without their origins; adjacent text is joined. */
export function joinText(pieces: readonly (PromptPiece & { origin: unknown })[]): AgentRequest['input'] {
  const joined: AgentRequest['input'] = []
  for (const { origin: _, ...piece } of pieces) {
    const last = joined.at(-1)
    if (piece.type === 'text' && last?.type === 'text') last.text += piece.text
    else joined.push(piece)
  }
  return joined
}

/** True for a message without content. */
export function isEmpty(message: Message): boolean {
  return message.parts.every(part => part.type === 'text' && part.text.trim() === '')
}

/** A source, shortened for display. */
export function shortenSource(src: string): string {
  return src.length > 100 ? `${src.slice(0, 100)}…` : src
}
