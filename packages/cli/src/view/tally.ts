import {
  argotMetadata,
  type Chunk,
  type ChunkOn,
  chunkFacts,
  describeCall,
  english,
  settledState,
  type ToolOutputAvailable,
} from 'argot'

/** Counts what a stream is made of, for the line at its end. */
export class Tally {
  #steps = 0
  readonly #ended: Map<string, boolean> = new Map()
  #tokens = 0
  #error: string | undefined

  push(chunk: Chunk): void {
    const { on, does } = chunkFacts(chunk)
    if (on === 'step') this.#steps += does === 'opens' ? 1 : does === 'resets' ? -1 : 0
    else if (on === 'call') this.#countCall(chunk as ChunkOn<'call'>)
    else if (chunk.type === 'error') this.#error = chunk.errorText
    else if (chunk.type === 'finish') this.#tokens = countTokens(chunk.messageMetadata) ?? this.#tokens
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
    return [...words, english.duration(milliseconds)].join(', ')
  }

  /** The first end of a call counts. */
  #countCall(chunk: ChunkOn<'call'>): void {
    const state = settledState(chunk)
    if (state === undefined || this.#ended.has(chunk.toolCallId)) return
    this.#ended.set(chunk.toolCallId, state === 'output-available' && endedWell(chunk))
  }
}

/** Whether its row says so too: a program that ran and failed is a failed call. */
function endedWell(chunk: ChunkOn<'call'>): boolean {
  const { toolCallId } = chunk
  const { output } = chunk as ToolOutputAvailable
  const details = argotMetadata(chunk)?.details
  const call = { key: toolCallId, toolCallId, toolName: '', state: 'output-available', output, details } as const
  return describeCall(call).state === 'done'
}

function plural(count: number, word: string): string {
  return `${english.number(count)} ${word}${count === 1 ? '' : 's'}`
}

function countTokens(metadata: unknown): number | undefined {
  const usage = (metadata as { usage?: Record<string, unknown> } | null | undefined)?.usage
  if (typeof usage !== 'object' || usage === null) return undefined
  const { totalTokens, inputTokens, outputTokens } = usage
  if (typeof totalTokens === 'number') return totalTokens
  const both = Number(inputTokens ?? 0) + Number(outputTokens ?? 0)
  return Number.isFinite(both) ? both : undefined
}
