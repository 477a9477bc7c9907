import { isRecord } from '@argot/core/stream/internal'

/** Characters per token, on average over text and code. */
const CHARACTERS = 4
/** A common estimate of servers with vision models. */
const IMAGE_TOKENS = 1000

/** Estimates a request's tokens. Images count as images, not by the length of their data. */
export function estimateTokens(value: unknown): number {
  let characters = 0
  let images = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') characters += next.length
    else if (typeof next === 'number' || typeof next === 'boolean') characters += 4
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (isRecord(next)) {
      if (next.type === 'image' || next.type === 'image_url' || next.type === 'input_image') images++
      else {
        for (const [key, member] of Object.entries(next)) {
          characters += key.length
          open.push(member)
        }
      }
    }
  }
  return Math.ceil(characters / CHARACTERS) + images * IMAGE_TOKENS
}
