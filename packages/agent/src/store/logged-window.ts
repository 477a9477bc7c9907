import type { Chunk } from '@argot/core'
import { compactedMark, markData, stepMark } from './marks.ts'

/** Tokenizers don't differ by more than this. */
const HIGHEST_RATE = 4

/** The size of a run's prompts. The same chunks give the same result, live and from the log. */
export class LoggedWindow {
  /** Provider tokens per estimated token; at least 1, because providers may leave some out of their count. */
  rate = 1
  /** Set after a provider refused a prompt: the most tokens, as it counts them, for the next ones. */
  maxTokens: number | undefined

  push(chunk: Chunk): void {
    if (chunk.type === compactedMark) {
      const { most } = markData(chunk)
      if (isCount(most)) this.maxTokens = most
    }
    if (chunk.type !== stepMark) return
    const { usage, sent } = markData(chunk)
    const { inputTokens, estimated } = (usage ?? {}) as { inputTokens?: unknown; estimated?: unknown }
    if (!isCount(sent) || !isCount(inputTokens) || estimated === true) return
    this.rate = Math.min(HIGHEST_RATE, Math.max(1, inputTokens / sent))
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}
