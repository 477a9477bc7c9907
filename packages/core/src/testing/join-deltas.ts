import type { Chunk } from '../stream/chunk.ts'

/** The same chunks with consecutive deltas joined, so that the result doesn't depend on how the text was cut. */
export function joinDeltas(chunks: Iterable<Chunk>): Chunk[] {
  const joined: Chunk[] = []
  for (const chunk of chunks) {
    const last = joined.at(-1)
    if (chunk.type === 'tool-input-delta' && last?.type === chunk.type && last.toolCallId === chunk.toolCallId) {
      joined[joined.length - 1] = { ...last, inputTextDelta: last.inputTextDelta + chunk.inputTextDelta }
    } else if (
      (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') &&
      last?.type === chunk.type &&
      last.id === chunk.id
    ) {
      joined[joined.length - 1] = { ...last, delta: last.delta + chunk.delta }
    } else joined.push(chunk)
  }
  return joined
}

export function joinText(chunks: Iterable<Chunk>): string {
  let text = ''
  for (const chunk of chunks) if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') text += chunk.delta
  return text
}
