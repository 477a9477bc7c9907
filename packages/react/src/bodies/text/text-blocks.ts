import { beforePair } from '@argot/core/stream/internal'

/** The maximum lines and characters per block, so that a browser lays out only the visible blocks. */
const BLOCK_LINES = 200
const BLOCK_CHARACTERS = 20_000

/** A long text in pieces that can be drawn one by one, or skipped. Joined, they are the text. */
export function textBlocks(text: string): string[] {
  const blocks: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = blockEnd(text, at)
    // A line break at the end of a block draws no line.
    const next = text[end] === '\n' ? end + 1 : end
    blocks.push(text.slice(at, next))
    at = next
  }
  return blocks.length === 0 ? [''] : blocks
}

function blockEnd(text: string, from: number): number {
  const limit = from + BLOCK_CHARACTERS
  let end = from - 1
  for (let line = 0; line < BLOCK_LINES; line++) {
    const next = text.indexOf('\n', end + 1)
    if (next < 0) return text.length <= limit ? text.length : end > from ? end : beforePair(text, limit)
    if (next > limit) return end > from ? end : beforePair(text, limit)
    end = next
  }
  return end
}
