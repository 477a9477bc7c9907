import { afterPair, beforePair, estimateTokens } from '@argot/core/stream/internal'

/** The texts in order, in pieces of at most about `maxTokens`. A longer text is its own piece, without its middle. */
export function splitTexts(texts: readonly string[], maxTokens: number): string[] {
  const pieces: string[] = []
  let piece: string[] = []
  let weight = 0
  for (const long of texts) {
    const text = cutMiddle(long, maxTokens)
    const tokens = estimateTokens(text)
    if (piece.length > 0 && weight + tokens > maxTokens) {
      pieces.push(piece.join('\n\n'))
      piece = []
      weight = 0
    }
    piece.push(text)
    weight += tokens
  }
  return piece.length === 0 ? pieces : [...pieces, piece.join('\n\n')]
}

/** Removes the middle of a text that has more than about `maxTokens`. */
export function cutMiddle(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text)
  if (tokens <= maxTokens) return text
  const half = Math.floor(((text.length * maxTokens) / tokens) * 0.45)
  const head = text.slice(0, beforePair(text, half))
  const tail = text.slice(afterPair(text, text.length - half))
  return `${head}\n[… ${text.length - head.length - tail.length} characters are left out here …]\n${tail}`
}
