import type { Chunk } from '@argot/core'

/** All text and reasoning in the chunks. */
export function textOf(chunks: Iterable<Chunk>): string {
  let text = ''
  for (const chunk of chunks) if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') text += chunk.delta
  return text
}
