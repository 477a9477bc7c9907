import type { Chunk } from 'argot'
import { describeDuration } from './call-line.ts'

/** Counts what a stream is made of, for the line at its end. */
export class Tally {
  #steps = 0
  readonly #ended: Map<string, boolean> = new Map()
  #tokens = 0
  #error: string | undefined

  push(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#steps++
        break
      case 'reset-step':
        this.#steps--
        break
      case 'tool-output-available':
        if (chunk.preliminary !== true) this.#end(chunk.toolCallId, true)
        break
      case 'tool-output-error':
      case 'tool-output-denied':
      case 'tool-input-error':
        this.#end(chunk.toolCallId, false)
        break
      case 'error':
        this.#error = chunk.errorText
        break
      case 'finish':
        this.#tokens = countTokens(chunk.messageMetadata) ?? this.#tokens
        break
      default:
    }
  }

  /** What the stream said about why it failed. */
  get error(): string | undefined {
    return this.#error
  }

  /** "3 steps, 5 calls (1 failed), 1,204 tokens, 12 s" */
  describe(milliseconds: number): string {
    const failed = [...this.#ended.values()].filter(well => !well).length
    const words = [plural(this.#steps, 'step')]
    if (this.#ended.size > 0) words.push(plural(this.#ended.size, 'call') + (failed > 0 ? ` (${failed} failed)` : ''))
    if (this.#tokens > 0) words.push(plural(this.#tokens, 'token'))
    return [...words, describeDuration(milliseconds)].join(', ')
  }

  /** The first end of a call counts. */
  #end(id: string, well: boolean): void {
    if (!this.#ended.has(id)) this.#ended.set(id, well)
  }
}

function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}

function countTokens(metadata: unknown): number | undefined {
  const usage = (metadata as { usage?: Record<string, unknown> } | null | undefined)?.usage
  if (typeof usage !== 'object' || usage === null) return undefined
  const { totalTokens, inputTokens, outputTokens } = usage
  if (typeof totalTokens === 'number') return totalTokens
  const both = Number(inputTokens ?? 0) + Number(outputTokens ?? 0)
  return Number.isFinite(both) ? both : undefined
}
