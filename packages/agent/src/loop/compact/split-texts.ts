import { afterPair, beforePair, estimateTokens } from '@argot/core/stream/internal'

/**
 * The texts in order, grouped into pieces of at most about `most` tokens. A longer text becomes its own piece, cut in
 * the middle.
 */
export function splitTexts(texts: readonly string[], most: number): string[] {
  const pieces: string[] = []
  let piece: string[] = []
  let weight = 0
  for (const long of texts) {
    const text = cutMiddle(long, most)
    const tokens = estimateTokens(text)
    if (piece.length > 0 && weight + tokens > most) {
      pieces.push(piece.join('\n\n'))
      piece = []
      weight = 0
    }
    piece.push(text)
    weight += tokens
  }
  return piece.length === 0 ? pieces : [...pieces, piece.join('\n\n')]
}

/** The text, without its middle if it has more tokens than that. */
export function cutMiddle(text: string, most: number): string {
  const tokens = estimateTokens(text)
  if (tokens <= most) return text
  const half = Math.floor(((text.length * most) / tokens) * 0.45)
  const head = text.slice(0, beforePair(text, half))
  const tail = text.slice(afterPair(text, text.length - half))
  return `${head}\n[… ${text.length - head.length - tail.length} characters are left out here …]\n${tail}`
}
